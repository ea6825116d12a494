import type {ReviewedFile, TakenBack} from '../../agent/changes/review.ts';

/** A file, or one of its hunks, in the order of the screen. */
export type ReviewItem = {readonly file: number; readonly hunk: number | undefined};

export type ReviewState = {
	readonly files: readonly ReviewedFile[];
	/** Index in `itemsOf`. */
	readonly cursor: number;
	/** The first line of the screen. */
	readonly top: number;
	/** Files without their lines. */
	readonly folded: ReadonlySet<number>;
	/** What is to be taken back: hunks as `file:hunk`, files without hunks as `file:`. */
	readonly chosen: ReadonlySet<string>;
	/** True while the user is asked whether to take it back. */
	readonly isAsking: boolean;
	/** Shown in the bottom line until the next key. */
	readonly note: string;
};

/** Folds all files but the first if there are many: their names come first. */
const maxUnfolded = 12;

export function beginReview(files: readonly ReviewedFile[]): ReviewState {
	const folded = new Set(files.length > maxUnfolded ? files.keys() : []);
	return {files, cursor: 0, top: 0, folded, chosen: new Set(), isAsking: false, note: ''};
}

export function itemsOf({files, folded}: Pick<ReviewState, 'files' | 'folded'>): readonly ReviewItem[] {
	return files.flatMap((file, index) => [
		{file: index, hunk: undefined},
		...(folded.has(index) ? [] : file.hunks.map((_, hunk) => ({file: index, hunk}))),
	]);
}

export function isChosen({files, chosen}: ReviewState, {file, hunk}: ReviewItem): boolean {
	const keys = hunk === undefined ? keysOf(files, file) : [`${file}:${hunk}`];
	return keys.every(key => chosen.has(key));
}

function keysOf(files: readonly ReviewedFile[], file: number): readonly string[] {
	const hunks = files[file]?.hunks ?? [];
	return hunks.length === 0 ? [`${file}:`] : hunks.map((_, hunk) => `${file}:${hunk}`);
}

/** Chooses the item at the cursor, or no longer. A file stands for all of its hunks. */
export function toggleChosen(state: ReviewState): ReviewState {
	const item = itemsOf(state)[state.cursor];
	const file = item && state.files[item.file];
	if (!item || !file) {
		return state;
	}

	if (!file.canTakeBack) {
		const why = file.isUsersToo ? 'You changed this file, too' : 'Its earlier content is not saved';
		return {...state, note: `${why}, so it can’t be undone here.`};
	}

	const keys = item.hunk === undefined ? keysOf(state.files, item.file) : [`${item.file}:${item.hunk}`];
	const chosen = new Set(state.chosen);
	const isOn = keys.every(key => chosen.has(key));
	for (const key of keys) {
		chosen[isOn ? 'delete' : 'add'](key);
	}

	return {...state, chosen};
}

/** Folds or unfolds the file at the cursor, which moves to the file. */
export function toggleFold(state: ReviewState): ReviewState {
	const item = itemsOf(state)[state.cursor];
	if (!item) {
		return state;
	}

	const folded = new Set(state.folded);
	folded[folded.has(item.file) ? 'delete' : 'add'](item.file);
	const cursor = itemsOf({files: state.files, folded}).findIndex(({file}) => file === item.file);
	return {...state, folded, cursor};
}

/** Returns what was chosen. */
export function takenBack({files, chosen}: ReviewState): readonly TakenBack[] {
	return files.flatMap((file, index): readonly TakenBack[] => {
		const hunks = file.hunks.filter((_, hunk) => chosen.has(`${index}:${hunk}`));
		const isWhole = hunks.length === file.hunks.length && keysOf(files, index).every(key => chosen.has(key));
		return isWhole ? [{file, hunks: 'all'}] : hunks.length > 0 ? [{file, hunks}] : [];
	});
}
