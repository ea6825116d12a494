import {AppError} from '../../core/error.ts';
import type {ChangeStep, RestoreKind} from '../../core/session/changes.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import {undoOf} from '../../core/session/undo.ts';
import {writeBoundsOf} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {applyRestore, finishRestore, type RestoreChoice, type Restored, restoreOf} from './apply-restore.ts';
import type {OpenChangeStore} from './change-store.ts';
import {type ChangePlace, historyOf, isStored} from './file-history.ts';
import type {ObjectStore} from './object-store.ts';
import {type PlannedFile, planRestore, type RestorePlan} from './plan-restore.ts';
import {differenceOf, type ReviewedFile, reviewChanges, type TakenBack, takeBack} from './review.ts';

/** The changes of files in a session: what the agent did, and how to take it back. */
export type Changes = {
	/** Returns what the agent changed and what is left of it. */
	readonly review: (steps: readonly ChangeStep[], signal: AbortSignal) => Promise<readonly ReviewedFile[]>;
	/** Reverts parts of reviewed files. */
	readonly takeBack: (parts: readonly TakenBack[], request: RestoreRequest) => Promise<Restored>;
	/** Plans to take steps back; see `planRestore`. */
	readonly plan: (
		steps: readonly ChangeStep[],
		undone: ReadonlySet<string>,
		signal: AbortSignal,
	) => Promise<RestorePlan>;
	/** Returns what restoring a file would change. */
	readonly difference: (file: PlannedFile) => Promise<ReviewedFile | undefined>;
	/** Carries a plan out. `choiceOf` decides about files that the user changed, too. */
	readonly apply: (
		plan: RestorePlan,
		choiceOf: (path: string) => RestoreChoice,
		request: RestoreRequest,
	) => Promise<Restored>;
	/** Finishes a restore that was killed before it was one of these events of a session; see `finishRestore`. */
	readonly finish: (
		session: string,
		events: Transcript['changes'],
		signal: AbortSignal,
	) => Promise<Restored | undefined>;
	/** Returns the steps that /undo takes back; see `undoOf`. Throws AppError("not-found") if no step is saved for this folder. */
	readonly lastOf: (steps: readonly ChangeStep[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
	/** Returns the files that each step changed, by the id of the step. */
	readonly pathsOf: (
		steps: readonly ChangeStep[],
		signal: AbortSignal,
	) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;
};

type RestoreRequest = {
	readonly id: string;
	readonly session: string;
	readonly how: RestoreKind;
	readonly signal: AbortSignal;
};

type Options = {readonly folder: string; readonly places: Places; readonly openStore: OpenChangeStore};

/** Returns access to the changes in a working folder, a real path. */
export function createChanges({folder, places, openStore}: Options): Changes {
	/** Throws the signal's reason if it is aborted: an interrupted /undo looks at no file and changes none. */
	const placeFor = async (signal: AbortSignal): Promise<ChangePlace> => {
		const [store, bounds] = await Promise.all([openStore(folder), writeBoundsOf(folder, places)]);
		signal.throwIfAborted();
		return {store: withRecentTrees(store), bounds, signal};
	};

	return {
		async review(steps, signal) {
			const place = await placeFor(signal);
			await assertStored(steps, place.store);
			return reviewChanges(steps, place);
		},
		async takeBack(parts, {signal, ...request}) {
			const place = await placeFor(signal);
			const restores = await Promise.all(parts.map(part => takeBack(part, place.store)));
			return applyRestore(restores, {...request, steps: []}, place);
		},
		async plan(steps, undone, signal) {
			const place = await placeFor(signal);
			await assertStored(steps, place.store);
			return planRestore(steps, undone, place);
		},
		difference: async file => differenceOf(file, await openStore(folder)),
		async apply({steps, files}, choiceOf, {signal, ...request}) {
			const restores = files.flatMap(file => restoreOf(file, choiceOf(file.path)) ?? []);
			return applyRestore(restores, {...request, steps}, await placeFor(signal));
		},
		async finish(session, events, signal) {
			const recorded = new Set(events.flatMap(({type, id}) => (type === 'restore' ? [id] : [])));
			return finishRestore(session, id => recorded.has(id), await placeFor(signal));
		},
		async lastOf(steps, signal) {
			const place = await placeFor(signal);
			const undone = await undoOf(steps, async step => (await historyOf([step], place)).length > 0);
			if (undone.size === 0) {
				await assertStored(steps, place.store);
			}

			return undone;
		},
		async pathsOf(steps, signal) {
			const paths = new Map<string, Set<string>>();
			const place = await placeFor(signal);
			await assertStored(steps, place.store);
			for (const {path, steps: own} of await historyOf(steps, place)) {
				for (const {step} of own) {
					paths.set(step.id, (paths.get(step.id) ?? new Set()).add(path));
				}
			}

			return paths;
		},
	};
}

/** Throws AppError("not-found") if there are steps, and the contents of none are stored for this folder. */
async function assertStored(steps: readonly ChangeStep[], store: ObjectStore): Promise<void> {
	for (const step of steps) {
		if (await isStored(step, store)) {
			return;
		}
	}

	if (steps.length > 0) {
		throw new AppError('not-found', 'The changes of this session are not saved for this folder.', {
			hint: 'Resume it in the folder where it made them. They are kept for 30 days, on this machine only.',
		});
	}
}

/** Most trees that are kept in memory. */
const maxTrees = 100;

/** Returns a store that keeps the trees which were read last: a step begins with most of those that the one before it ended with. */
function withRecentTrees(store: ObjectStore): ObjectStore {
	const recent = new Map<string, Buffer>();
	return {
		...store,
		async get(type, id) {
			if (type !== 'tree') {
				return store.get(type, id);
			}

			const tree = recent.get(id) ?? (await store.get(type, id));
			recent.delete(id);
			recent.set(id, tree);
			const [oldest] = recent.keys();
			if (recent.size > maxTrees && oldest !== undefined) {
				recent.delete(oldest);
			}

			return tree;
		},
	};
}
