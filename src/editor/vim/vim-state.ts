import type {InputToken} from '../../terminal/input/token.ts';
import type {ComposerState} from '../editor-state.ts';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** A search within the line: to the character, or to the place before it. */
export type Find = {readonly kind: 'f' | 'F' | 't' | 'T'; readonly character: string};

/** A change to repeat: the keys of its command, and what was typed in insert mode after it. */
export type VimChange = {readonly keys: readonly string[]; readonly typed: readonly InputToken[]};

/** What a Vim mode needs to know besides the prompt. */
export type VimState = {
	readonly mode: VimMode;
	/** The keys of an unfinished command. */
	readonly pending: readonly string[];
	readonly lastFind: Find | undefined;
	/** The latest text that was cut or copied by lines; the kill ring has it too. */
	readonly lines: string | undefined;
	readonly lastChange: VimChange | undefined;
	/** The change that insert mode continues, with the prompt before it: one undo reverts all of it. */
	readonly inserting: {readonly change: VimChange; readonly before: ComposerState} | undefined;
};

/** A prompt begins in insert mode. */
export const initialVim: VimState = {
	mode: 'insert',
	pending: [],
	lastFind: undefined,
	lines: undefined,
	lastChange: undefined,
	inserting: undefined,
};
