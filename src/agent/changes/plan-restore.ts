import type {ChangeStep} from '../../core/session/changes.ts';
import {
	type ChangePlace,
	entryNow,
	type FileHistory,
	type FileStep,
	historyOf,
	isChangedBetween,
} from './file-history.ts';
import {hunksOf, withoutHunks} from './hunks.ts';
import {traceLines, type Version} from './trace-lines.ts';
import {isSameEntry, type TreeEntry} from './tree.ts';

/**
 * A file of a plan. `ready` can be restored; `changed` was changed by the user, too, or perhaps, so that they must be asked; `lost` can't be
 * restored because a content isn't stored; `done` is as it should be.
 */
export type PlannedFile = {
	readonly path: string;
	readonly state: 'ready' | 'changed' | 'lost' | 'done';
	readonly current: TreeEntry | undefined;
	readonly wanted: TreeEntry | undefined;
	/** The user's version without the agent's lines, if there is such a version. */
	readonly merged?: TreeEntry;
	/** The background jobs that ran when it was changed, if nothing else says that the user changed it. */
	readonly job?: string;
	/** True if another session may have changed it, and nothing says that the user did. */
	readonly shared?: boolean;
};

/** What it takes to take steps back. */
export type RestorePlan = {readonly steps: readonly string[]; readonly files: readonly PlannedFile[]};

/**
 * Plans to take back some of a session's steps, as if they had not happened. Stores what is on the disk now. Throws
 * AppError("not-found") if earlier contents are gone.
 */
export async function planRestore(
	all: readonly ChangeStep[],
	undone: ReadonlySet<string>,
	place: ChangePlace,
): Promise<RestorePlan> {
	// A long session has many steps before these, which tell nothing about them.
	const from = all.findIndex(({id}) => undone.has(id));
	const files: PlannedFile[] = [];
	for (const history of await historyOf(from < 0 ? [] : all.slice(from), place)) {
		const start = history.steps.findIndex(({step}) => undone.has(step.id));
		if (start >= 0) {
			files.push(await planFile({...history, steps: history.steps.slice(start)}, undone, place));
		}
	}

	return {steps: [...undone], files};
}

async function planFile(
	{path, steps}: FileHistory,
	undone: ReadonlySet<string>,
	place: ChangePlace,
): Promise<PlannedFile> {
	const current = await entryNow(path, place);
	const wanted = steps[0]?.before;
	const file = {path, current, wanted};
	if (isSameEntry(current, wanted)) {
		return {...file, state: 'done'};
	}

	if (wanted?.mode === 'left-out' || current?.mode === 'left-out') {
		return {...file, state: 'lost'};
	}

	const job = steps.findLast(({step}) => step.job !== undefined)?.step.job;
	const isUsersToo = isChangedBetween(steps.map(known), current);
	const shared = steps.some(({step}) => step.shared);
	if (!isUsersToo && job === undefined && !shared) {
		return {...file, state: 'ready'};
	}

	if (!isUsersToo) {
		return {...file, state: 'changed', ...(job === undefined ? {shared} : {job})};
	}

	const merged = await mergedOf(steps, undone, current, place);
	return {...file, state: 'changed', ...(merged && !isSameEntry(merged, wanted) && {merged})};
}

/** A step of jobs that still run ends now. */
function known(step: FileStep): FileStep {
	return step.step.job === undefined ? step : {...step, isKnown: true};
}

/** Returns the current file without what these steps changed; undefined if it isn't a text, or nothing is left to change. */
async function mergedOf(
	steps: readonly FileStep[],
	undone: ReadonlySet<string>,
	current: TreeEntry | undefined,
	{store}: ChangePlace,
): Promise<TreeEntry | undefined> {
	const traced = await traceFile(steps, current, id => undone.has(id), store);
	if (!current || !traced || hunksOf(traced).length === 0) {
		return undefined;
	}

	const text = withoutHunks(traced, [{start: 0, end: traced.length}]);
	const merged = {...current, id: await store.put('blob', Buffer.from(text, 'latin1'), true)};
	return isSameEntry(merged, current) ? undefined : merged;
}

/** Returns who wrote the lines of a file; undefined if one of its versions isn't a text. */
export async function traceFile(
	steps: readonly FileStep[],
	current: TreeEntry | undefined,
	isAgents: (step: string) => boolean,
	store: ChangePlace['store'],
) {
	const read = (entry: TreeEntry | undefined) => readText(entry, store);
	const base = await read(steps[0]?.before);
	const versions: Version[] = [];
	for (const {step, before, after} of steps) {
		const [old, now] = [await read(before), await read(after)];
		if (old === undefined || now === undefined) {
			return undefined;
		}

		versions.push({text: old, by: 'user'}, {text: now, by: isAgents(step.id) ? 'agent' : 'user'});
	}

	const last = await read(current);
	return base === undefined || last === undefined
		? undefined
		: traceLines(base, [...versions, {text: last, by: 'user'}]);
}

/**
 * Returns a stored text, with a character for each byte, so that no byte is lost; '' for no file, undefined for what isn't a
 * text. Throws AppError("not-found") if the content is gone.
 */
export async function readText(entry: TreeEntry | undefined, store: ChangePlace['store']): Promise<string | undefined> {
	if (!entry) {
		return '';
	}

	if (entry.mode === 'link' || entry.mode === 'left-out') {
		return undefined;
	}

	const text = (await store.get('blob', entry.id)).toString('latin1');
	return text.slice(0, sniffedLength).includes('\0') ? undefined : text;
}

/** How far into a file a NUL character makes it binary: the rule of git. */
const sniffedLength = 8192;
