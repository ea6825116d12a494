import type {Fold} from './folds.ts';

/** One change of the text: at `start`, `removed` gave way to `inserted`. `caret` is where it was before. */
export type Edit = {
	readonly start: number;
	readonly removed: string;
	readonly inserted: string;
	readonly caret: number;
};

/** What the last key did, for keys that go on with it. */
export type Chain =
	| {readonly kind: 'none' | 'typing' | 'kill'}
	/** `index` is the entry of the kill ring that was put at `start`. */
	| {readonly kind: 'yank'; readonly start: number; readonly index: number}
	/** Up and Down aim at this column, in cells, also across shorter rows. */
	| {readonly kind: 'vertical'; readonly goal: number};

export type ComposerState = {
	/** The prompt with each folded paste as one code unit (`composer-folds.ts`); `expandedText` is what is meant. */
	readonly text: string;
	/** An offset into `text`, always on a boundary of graphemes. */
	readonly caret: number;
	readonly folds: readonly Fold[];
	/** The latest edit last. */
	readonly edits: readonly Edit[];
	/** The kill ring, the latest entry first. */
	readonly kills: readonly string[];
	readonly chain: Chain;
	/** Earlier prompts, the latest last. */
	readonly history: readonly string[];
	/** The entry of `history` on show; its length stands for the prompt that is being written. */
	readonly position: number;
	/** What was typed into entries and left without sending it, the prompt being written among them. */
	readonly drafts: ReadonlyMap<number, string>;
};

export const emptyComposer: ComposerState = {
	text: '',
	caret: 0,
	folds: [],
	edits: [],
	kills: [],
	chain: {kind: 'none'},
	history: [],
	position: 0,
	drafts: new Map(),
};
