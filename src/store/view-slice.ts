import type {StateCreator} from 'zustand/vanilla';
import type {Cell} from '../core/cell.ts';
import {type ComposerState, emptyComposer} from '../editor/editor-state.ts';
import type {SessionSummary} from '../storage/session-summary.ts';

/** One line of a picker. `id` is what is chosen, `label` and `detail` are what is read and searched. */
export type Choice = {
	readonly id: string;
	readonly label: string;
	readonly detail?: string;
	/** What typed filters compare, by the filter's name, and its `id` if that may be typed; times in milliseconds. */
	readonly fields?: Readonly<Record<string, string | number>>;
};

/** A typed filter of a picker, `name:value`. An age is compared with a time in milliseconds since the epoch. */
export type FilterField = {
	/** In small letters. */
	readonly name: string;
	readonly compares: 'text' | 'number' | 'age';
	/** A whole filter, for who does not know what to type. */
	readonly example: string;
	/** All that a text can be. */
	readonly words?: readonly string[];
};

/** What a person must know to answer a question: named values, untrusted as they came. */
export type About = {
	readonly title: string;
	readonly facts: ReadonlyArray<readonly [label: string, value: string]>;
};

/** One way to answer a question besides no: the letter that is pressed, what it means, and what the answer is then. */
export type Answer = {readonly key: string; readonly label: string; readonly value: string};

/** Where a person approves a login (RFC 8628): a page to open and a code to type there. */
export type BrowserLogin = {
	/** Origin of the server. */
	readonly server: string;
	/** Http or https. */
	readonly page: string;
	/** The page with the code filled in. */
	readonly pageWithCode: string;
	readonly code: string;
	/** When the code ends; milliseconds since the epoch. */
	readonly expiresAt: number;
};

/** A table that is too long for the window. */
export type TablePanel = {
	readonly kind: 'table';
	readonly title: string;
	/** As of a table among results: spare ones give way, whole ones are never cut. */
	readonly columns: readonly {
		readonly label: string;
		readonly align?: 'right';
		readonly spare?: boolean;
		readonly whole?: boolean;
	}[];
	readonly rows: readonly (readonly Cell[])[];
	/** True where times are to be shown in full from the beginning. */
	readonly exact?: boolean;
	/** The id of each row, in the order of `rows`, where a row can be opened; the panel is answered with it. */
	readonly opens?: {readonly ids: readonly string[]};
};

/** What is open between the transcript and the prompt: one thing or nothing. It has the focus. */
export type Panel =
	| {
			readonly kind: 'pick';
			readonly title: string;
			readonly choices: readonly Choice[];
			readonly current?: string;
			readonly filters?: readonly FilterField[];
	  }
	| {readonly kind: 'field'; readonly label: string; readonly masked: boolean}
	/**
	 * No unless one of the `answers` is given, which are yes by default. `askedAt` is when it was put, on a clock that never
	 * jumps: keys that were read before are no answer (SAFETY 4).
	 */
	| {
			readonly kind: 'confirm';
			readonly question: string;
			readonly about?: About;
			readonly answers?: readonly Answer[];
			readonly askedAt: number;
	  }
	/** A login that waits for the person's browser. `opens` is true where a browser can be opened from here. */
	| (BrowserLogin & {readonly kind: 'device'; readonly opens: boolean})
	| TablePanel
	/** The answer of a command while the agent is at work, so that it does not cut the answer in two. */
	| {readonly kind: 'lines'; readonly title: string; readonly lines: readonly string[]};

/** A session of this folder, as completion offers it. Its texts are untrusted. */
export type SavedSession = Pick<SessionSummary, 'id' | 'title' | 'preview'>;

export type Size = {readonly columns: number; readonly rows: number};

export type ViewSlice = {
	readonly composer: ComposerState;
	/** When a key changed the prompt last, on the clock of `askedAt`; undefined when what was typed is sent. */
	readonly typedAt: number | undefined;
	readonly size: Size;
	readonly panel: Panel | undefined;
	/** `id` of the earlier message that the prompt is to replace, undefined for a new one. */
	readonly editing: string | undefined;
	/** A short word to the user under the prompt, such as `Press Ctrl+C again to quit.` */
	readonly toast: string;
	/** The last lines of the transcript that may still change, drawn by Ink; everything above them is written. */
	readonly live: readonly string[];
	/** Which line of the slash completion is chosen. */
	readonly completion: number;
	/** Sessions that completion may offer, newest first; none before a line asks for them. */
	readonly savedSessions: readonly SavedSession[];
	/** How far the open panel was scrolled, or which of its choices is marked; counted in key presses, 0 when it opens. */
	readonly scroll: number;
	/** What is typed into an open picker, empty when it opens. */
	readonly filter: ComposerState;
	/** Steps through the sort orders of an open table, 0 when it opens. */
	readonly sorted: number;
	/** True where an open table shows times in full. */
	readonly exact: boolean;
	/** True while a command works. */
	readonly busy: boolean;
	/** Name of the command that began to work last, without its arguments; empty while none does. */
	readonly command: string;

	setComposer: (composer: ComposerState) => void;
	/** Applies everything that a key changed, in one update. */
	editPrompt: (edit: PromptEdit) => void;
	setSize: (size: Size) => void;
	setPanel: (panel: Panel | undefined) => void;
	setEditing: (message: string | undefined) => void;
	setToast: (toast: string) => void;
	setLive: (live: readonly string[]) => void;
	setCompletion: (completion: number) => void;
	setSavedSessions: (sessions: readonly SavedSession[]) => void;
	scrollBy: (rows: number) => void;
	/** The marked choice is the first one again where the text changed. */
	setFilter: (filter: ComposerState) => void;
	sortBy: (steps: number) => void;
	toggleExact: () => void;
	setBusy: (busy: boolean, command?: string) => void;
};

/** What a key changes about the prompt and around it. */
export type PromptEdit = Partial<Pick<ViewSlice, 'composer' | 'typedAt' | 'completion' | 'editing' | 'toast'>>;

export const createViewSlice: StateCreator<ViewSlice> = set => ({
	composer: emptyComposer,
	typedAt: undefined,
	size: {columns: 80, rows: 24},
	panel: undefined,
	editing: undefined,
	toast: '',
	live: [],
	completion: 0,
	savedSessions: [],
	scroll: 0,
	filter: emptyComposer,
	sorted: 0,
	exact: false,
	busy: false,
	command: '',

	setComposer(composer) {
		set({composer});
	},
	editPrompt(edit) {
		set(edit);
	},
	setSize(size) {
		set({size});
	},
	setPanel(panel) {
		set({panel, scroll: 0, filter: emptyComposer, sorted: 0, exact: panel?.kind === 'table' && panel.exact === true});
	},
	setEditing(editing) {
		set({editing});
	},
	setToast(toast) {
		set({toast});
	},
	setLive(live) {
		set({live});
	},
	setCompletion(completion) {
		set({completion});
	},
	setSavedSessions(savedSessions) {
		set({savedSessions});
	},
	scrollBy(rows) {
		set(state => ({scroll: state.scroll + rows}));
	},
	setFilter(filter) {
		set(before => ({filter, ...(filter.text !== before.filter.text && {scroll: 0})}));
	},
	sortBy(steps) {
		set(state => ({sorted: state.sorted + steps, scroll: 0}));
	},
	toggleExact() {
		set(state => ({exact: !state.exact}));
	},
	setBusy(busy, command = '') {
		set({busy, command});
	},
});
