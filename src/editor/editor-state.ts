import type {Fold} from './folds.ts';
import type {Pieces} from './long-text.ts';

/** A change of the text: at `start`, `inserted` replaced `removed`. `caret` is its earlier position. */
export type Edit = {
	readonly start: number;
	readonly removed: string;
	readonly inserted: string;
	readonly caret: number;
};

/** What the last key did, for keys that continue it. */
export type Chain =
	| {readonly kind: 'none' | 'typing' | 'kill'}
	/** `index` is the entry of the kill ring that was inserted at `start`. */
	| {readonly kind: 'yank'; readonly start: number; readonly index: number}
	/** The text between `anchor` and the caret is selected; `inclusive` with the character there, or in whole lines. */
	| {readonly kind: 'select'; readonly anchor: number; readonly extent?: 'inclusive' | 'lines'}
	/** Up and Down keep this column, in cells, across shorter rows. */
	| {readonly kind: 'vertical'; readonly goal: number};

export type ComposerState = {
	/** The prompt with each folded paste as one code unit (`folds.ts`); `expandedText` returns it in full. */
	readonly text: string;
	/** A long `text` in pieces, which keys read; those of another text, or none, are made again. */
	readonly pieces?: Pieces | undefined;
	/** An offset into `text`, always at a boundary of graphemes. */
	readonly caret: number;
	readonly folds: readonly Fold[];
	/** The latest edit last. */
	readonly edits: readonly Edit[];
	/** The edits that were undone since the last change, the latest last. */
	readonly undone: readonly Edit[];
	/** The kill ring, the latest entry first. */
	readonly kills: readonly string[];
	readonly chain: Chain;
	/** Earlier prompts, the latest last. */
	readonly history: readonly string[];
	/** The entry of `history` that is shown; its length means the new prompt. */
	readonly position: number;
	/** Unsent text of the new prompt and of entries, by position. */
	readonly drafts: ReadonlyMap<number, Draft>;
};

/** A text with what Undo and Redo do to it. */
export type Draft = Pick<ComposerState, 'text' | 'edits' | 'undone'>;

export const emptyComposer: ComposerState = {
	text: '',
	caret: 0,
	folds: [],
	edits: [],
	undone: [],
	kills: [],
	chain: {kind: 'none'},
	history: [],
	position: 0,
	drafts: new Map(),
};
