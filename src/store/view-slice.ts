import type {StateCreator} from 'zustand/vanilla';
import type {Cell} from '../core/cell.ts';
import type {UserQuestion} from '../core/session/user-question.ts';
import {setComposerText} from '../editor/editor.ts';
import {type ComposerState, emptyComposer} from '../editor/editor-state.ts';
import type {SessionSummary} from '../storage/session-summary.ts';
import type {Palette} from '../terminal/text/style.ts';

/** One line of a picker. `id` is the answer; `label` and `detail` are shown and searched. */
export type Choice = {
	readonly id: string;
	readonly label: string;
	readonly detail?: string;
	/** The heading of the choices that belong together; they stand in the order of their first ones. */
	readonly group?: string;
	/** Finished ANSI lines that are shown below the list while this line is chosen. */
	readonly preview?: readonly string[];
	/** Values that typed filters compare, by the filter's name; `id` if it may be typed; times in milliseconds. */
	readonly fields?: Readonly<Record<string, string | number>>;
};

/** A typed filter of a picker, `name:value`. An age is compared with a time in milliseconds since the epoch. */
export type FilterField = {
	/** In lower case. */
	readonly name: string;
	readonly compares: 'text' | 'number' | 'age';
	/** A complete filter, to show the syntax. */
	readonly example: string;
	/** All values that the text can have. */
	readonly words?: readonly string[];
};

/** Facts that the user needs to answer a question. Untrusted. */
export type About = {
	readonly title?: string;
	readonly facts: ReadonlyArray<readonly [label: string, value: string]>;
};

type DrawingStyle = {readonly width: number; readonly palette: Palette};

/** Draws what a question is about, exactly: a change of a file, a command, or a request. */
export type SubjectDrawing = {
	/** Returns what it is, on one line. */
	readonly title: (style: DrawingStyle) => string;
	/** Returns the lines that fit from `offset` on, and how many are left out. */
	readonly window: (style: DrawingStyle & {readonly rows: number; readonly offset?: number}) => {
		readonly shown: readonly string[];
		readonly leftOut: number;
	};
	/** Returns the rows that the first lines need. */
	readonly rows: (width: number, maxLines: number) => number;
	/** Returns the offset at which the end is shown and no row is empty. */
	readonly lastOffset: (style: DrawingStyle & {readonly rows: number}) => number;
};

/** One way to answer a question besides no: the key, its label, and the value of the answer. */
export type Answer = {readonly key: string; readonly label: string; readonly value: string};

/** Where the user approves a login (RFC 8628): a page to open and a code to enter there. */
export type BrowserLogin = {
	/** Origin of the server. */
	readonly server: string;
	/** Http or https. */
	readonly page: string;
	/** The page with the code filled in. */
	readonly pageWithCode: string;
	/** Empty for a login without one. */
	readonly code: string;
	/** When the code expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
};

/** A table that is too long for the window. */
export type TablePanel = {
	readonly kind: 'table';
	readonly title: string;
	/** As in a table result: spare columns are left out first, whole ones are never cut. */
	readonly columns: readonly {
		readonly label: string;
		readonly align?: 'right';
		readonly spare?: boolean;
		readonly whole?: boolean | 'beside spare';
		readonly cut?: 'middle';
	}[];
	readonly rows: readonly (readonly Cell[])[];
	/** The heading of each row, if rows stand in groups. */
	readonly groups?: readonly string[];
	/** True to show times in full from the start. */
	readonly exact?: boolean;
	/** The id of each row, in the order of `rows`, if rows can be opened. It is the answer of the panel. */
	readonly opens?: {readonly ids: readonly string[]};
};

/** What is open between the transcript and the prompt. It has the focus. */
export type Panel =
	| {
			readonly kind: 'pick';
			readonly title: string;
			readonly choices: readonly Choice[];
			readonly current?: string;
			/** The choice that the list opens at, if not the current one. */
			readonly opensAt?: string | undefined;
			readonly filters?: readonly FilterField[];
	  }
	| {readonly kind: 'field'; readonly label: string; readonly masked: boolean}
	/** A text that the user changes, with the keys of the prompt. `does` says what the key that sends does. */
	| {readonly kind: 'edit'; readonly label: string; readonly does: string; readonly text: string}
	/**
	 * A question. Its answer is no, or one of the `answers`, by default yes. `askedAt` is when it was asked, on a monotonic
	 * clock: keys that were read before do not answer it (SAFETY 4).
	 */
	| {
			readonly kind: 'confirm';
			readonly question: string;
			readonly about?: About;
			readonly subject?: SubjectDrawing;
			readonly answers?: readonly Answer[];
			readonly askedAt: number;
	  }
	/**
	 * A question of the agent: choices, or a field for the answer. `isFollowUp` is true for the field that a choice opened.
	 * `askedAt` is as above.
	 */
	| (UserQuestion & {readonly kind: 'ask'; readonly askedAt: number; readonly isFollowUp: boolean})
	/** A login that waits for the browser. `opens`: the program can open one; `pastes`: the user can paste where theirs ends. */
	| (BrowserLogin & {readonly kind: 'device'; readonly opens: boolean; readonly pastes?: boolean})
	| TablePanel
	/**
	 * The result of a command that ran during a run, so that it does not cut an answer in two. One that `closesOnKey` closes
	 * on any key, which then does what it does.
	 */
	| {
			readonly kind: 'lines';
			readonly title: string;
			/** Draws it for a window: again if its width, its colours or the user's keys change. */
			readonly lines: (columns: number) => readonly string[];
			readonly closesOnKey?: boolean;
	  };

/** A session of this folder, for completion. Its texts are untrusted. */
export type SavedSession = Pick<SessionSummary, 'id' | 'title' | 'preview'>;

export type Size = {readonly columns: number; readonly rows: number};

export type ViewSlice = {
	readonly composer: ComposerState;
	/** When a key last changed the prompt, on the clock of `askedAt`; undefined once the prompt was sent. */
	readonly typedAt: number | undefined;
	readonly size: Size;
	/** Since when a panel is in sight, on the clock of `askedAt`; infinity while a view or a tiny window hides it. */
	readonly inSightSince: number;
	readonly panel: Panel | undefined;
	/** The id of the earlier message that the prompt replaces; undefined for a new one. */
	readonly editing: string | undefined;
	/** A short note under the prompt, such as `Press Ctrl+C again to quit.` */
	readonly toast: string;
	/** Index of the selected suggestion; -1 while the completion is closed. */
	readonly completion: number;
	/** Sessions that completion can offer, newest first; none before a line needs them. */
	readonly savedSessions: readonly SavedSession[];
	/** How far the open panel is scrolled, or which of its choices is selected, counted in key presses from 0. */
	readonly scroll: number;
	/** Steps of the arrow keys through the answers of an open question, from 0. */
	readonly marked: number;
	/** How far the open panel can be scrolled; undefined for one that isn't, and before it was drawn. */
	readonly scrollEnd: number | undefined;
	/** The filter of an open picker or table, or the text of an open editor or field. */
	readonly filter: ComposerState;
	/** Steps through the sort orders of an open table, from 0. */
	readonly sorted: number;
	/** True if an open table shows times in full. */
	readonly exact: boolean;
	/** True if little moves: no spinner, and times that change every few seconds. */
	readonly isStill: boolean;
	/** True while a command runs. */
	readonly busy: boolean;
	/** Name of the command that started last, without its arguments; empty while none runs. */
	readonly command: string;

	setComposer: (composer: ComposerState) => void;
	/** Applies everything that a key changed, in one update. */
	editPrompt: (edit: PromptEdit) => void;
	setSize: (size: Size) => void;
	setPanel: (panel: Panel | undefined) => void;
	setEditing: (message: string | undefined) => void;
	setToast: (toast: string) => void;
	setCompletion: (completion: number) => void;
	setSavedSessions: (sessions: readonly SavedSession[]) => void;
	scrollBy: (rows: number) => void;
	/** Scrolls no further than to this row, now and later. */
	limitScroll: (end: number) => void;
	markBy: (steps: number) => void;
	/** Selects the first choice again if the text changed. */
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
	inSightSince: Number.NEGATIVE_INFINITY,
	panel: undefined,
	editing: undefined,
	toast: '',
	completion: 0,
	savedSessions: [],
	scroll: 0,
	scrollEnd: undefined,
	marked: 0,
	filter: emptyComposer,
	sorted: 0,
	exact: false,
	isStill: false,
	busy: false,
	command: '',

	setComposer: composer => set({composer}),
	editPrompt: edit => set(edit),
	setSize: size => set({size}),
	setPanel(panel) {
		const initial = panel?.kind === 'edit' ? panel.text : panel?.kind === 'ask' ? (panel.form?.initial ?? '') : '';
		const filter = initial ? setComposerText(emptyComposer, initial) : emptyComposer;
		const exact = panel?.kind === 'table' && panel.exact === true;
		set({panel, scroll: 0, scrollEnd: undefined, marked: 0, filter, sorted: 0, exact});
	},
	setEditing: editing => set({editing}),
	setToast: toast => set({toast}),
	setCompletion: completion => set({completion}),
	setSavedSessions: savedSessions => set({savedSessions}),
	scrollBy: rows => set(({scroll, scrollEnd}) => ({scroll: within(scroll + rows, scrollEnd)})),
	limitScroll: end => set(({scroll}) => ({scroll: within(scroll, end), scrollEnd: end})),
	markBy: steps => set(state => ({marked: state.marked + steps})),
	setFilter: filter => set(before => ({filter, ...(filter.text !== before.filter.text && {scroll: 0})})),
	sortBy: steps => set(state => ({sorted: state.sorted + steps, scroll: 0})),
	toggleExact: () => set(state => ({exact: !state.exact})),
	setBusy(busy, command = '') {
		set({busy, command});
	},
});

/** Returns the nearest row from 0 to `end`; any row without an end. */
function within(row: number, end: number | undefined): number {
	return end === undefined ? row : Math.max(0, Math.min(row, end));
}
