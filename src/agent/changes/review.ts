import type {ChangeStep} from '../../core/session/changes.ts';
import {type ChangePlace, entryNow, type FileHistory, historyOf, isChangedBetween} from './file-history.ts';
import {countLines, type Hunk, hunksOf, lineDecoder, withoutHunks} from './hunks.ts';
import type {ObjectStore} from './object-store.ts';
import {type PlannedFile, readText, traceFile} from './plan-restore.ts';
import type {FileRestore} from './restore-file.ts';
import {type TracedLine, traceLines} from './trace-lines.ts';
import {isSameEntry, permissionsOf, type TreeEntry} from './tree.ts';

/** A file that the agent changed, with what is left of its changes. */
export type ReviewedFile = {
	readonly path: string;
	readonly kind: 'created' | 'deleted' | 'changed';
	readonly added: number;
	readonly removed: number;
	/** None for a file that isn't a text, and for one of which only the mode changed. */
	readonly hunks: readonly Hunk[];
	/** Why there are no hunks, or what else changed; empty for a change of lines only. */
	readonly note: string;
	/** True if the user changed the file, too. */
	readonly isUsersToo: boolean;
	/** False if the change can't be taken back as a whole. */
	readonly canTakeBack: boolean;
	readonly traced: readonly TracedLine[] | undefined;
	/** The file before the agent first changed it, and now. */
	readonly base: TreeEntry | undefined;
	readonly current: TreeEntry | undefined;
};

/** A part of a file to take back: these hunks, or `all`. */
export type TakenBack = {readonly file: ReviewedFile; readonly hunks: 'all' | readonly Hunk[]};

/** Returns what is left of the agent's changes, by file. Changes of the user aren't part of it. */
export async function reviewChanges(
	steps: readonly ChangeStep[],
	place: ChangePlace,
): Promise<readonly ReviewedFile[]> {
	const files: ReviewedFile[] = [];
	for (const history of await historyOf(steps, place)) {
		const file = await reviewFile(history, place);
		if (file) {
			files.push(file);
		}
	}

	return files;
}

async function reviewFile({path, steps}: FileHistory, place: ChangePlace): Promise<ReviewedFile | undefined> {
	const current = await entryNow(path, place);
	const start = steps.findIndex(({step}) => step.by === 'agent');
	const own = steps.slice(Math.max(0, start));
	const base = own[0]?.before;
	if (start < 0 || isSameEntry(base, current)) {
		return undefined;
	}

	const agents = new Set(own.filter(({step}) => step.by === 'agent').map(({step}) => step.id));
	const traced = await traceFile(own, current, id => agents.has(id), place.store);
	const isUsersToo = isChangedBetween(own, current);
	const hunks = traced ? hunksOf(traced, await decodersOf(base, current, place.store)) : [];
	const isWhole = hunks.length === 0;
	const note = isWhole ? noteOf(base, current, traced !== undefined) : modeNote(base, current);
	if (isWhole && (note === '' || (isUsersToo && traced))) {
		// What is left is the user's.
		return undefined;
	}

	const isStored = base?.mode !== 'left-out' && current?.mode !== 'left-out';
	return {
		path,
		hunks,
		note,
		isUsersToo,
		traced,
		base,
		current,
		kind: base ? (current ? 'changed' : 'deleted') : 'created',
		...(traced ? countLines(traced) : {added: 0, removed: 0}),
		canTakeBack: isStored && (!isWhole || !isUsersToo),
	};
}

/** Returns what decodes the lines of a text before and after a change. */
async function decodersOf(before: TreeEntry | undefined, after: TreeEntry | undefined, store: ObjectStore) {
	const [old = '', now = ''] = [await readText(before, store), await readText(after, store)];
	return {old: await lineDecoder(old), now: await lineDecoder(now)};
}

function noteOf(base: TreeEntry | undefined, current: TreeEntry | undefined, isText: boolean): string {
	const entries = [base, current];
	if (entries.some(entry => entry?.mode === 'left-out')) {
		return 'content not saved: too large, or its name suggests secrets';
	}

	if (entries.some(entry => entry?.mode === 'link')) {
		return 'symbolic link';
	}

	if (!isText) {
		return 'binary file';
	}

	return base && current ? modeNote(base, current) : 'empty file';
}

function modeNote(base: TreeEntry | undefined, current: TreeEntry | undefined): string {
	if (!base || !current) {
		return '';
	}

	if (base.mode !== current.mode) {
		return current.mode === 'program' ? 'now executable' : 'no longer executable';
	}

	const [old, now] = [permissionsOf(base), permissionsOf(current)];
	return old === now ? '' : `permissions ${octal(now)}, before ${octal(old)}`;
}

function octal(permissions = 0): string {
	return permissions.toString(8).padStart(3, '0');
}

/** Returns how a part of a change is taken back. A file that the agent created is deleted once nothing is left in it. */
export async function takeBack(
	{file: {path, base, current, traced, hunks: all, isUsersToo}, hunks}: TakenBack,
	store: Pick<ObjectStore, 'put'>,
): Promise<FileRestore> {
	if (!isUsersToo && hunks === 'all') {
		return {path, current, wanted: base};
	}

	const text = withoutHunks(traced ?? [], hunks === 'all' ? all : hunks);
	if (text === '' && !base) {
		return {path, current, wanted: undefined};
	}

	const {mode, permissions} = current ?? base ?? {mode: 'file'};
	const id = await store.put('blob', Buffer.from(text, 'latin1'), true);
	return {path, current, wanted: {mode, id, ...(permissions !== undefined && {permissions})}};
}

/** Returns what restoring a planned file would change; undefined if it isn't a text. */
export async function differenceOf(
	{path, current, wanted}: Pick<PlannedFile, 'path' | 'current' | 'wanted'>,
	store: ObjectStore,
): Promise<ReviewedFile | undefined> {
	const [before, after] = [await readText(current, store), await readText(wanted, store)];
	if (before === undefined || after === undefined) {
		return undefined;
	}

	const traced = traceLines(before, [{text: after, by: 'agent'}]);
	return {
		path,
		traced,
		base: current,
		current: wanted,
		...countLines(traced),
		hunks: hunksOf(traced, await decodersOf(current, wanted, store)),
		note: '',
		isUsersToo: false,
		canTakeBack: false,
		kind: wanted ? (current ? 'changed' : 'created') : 'deleted',
	};
}
