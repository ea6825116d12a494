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

/** How wide something is drawn, in columns, and in which colours. */
export type DrawingStyle = {readonly width: number; readonly palette: Palette};

/** Draws what a question is about, exactly: a change of a file, a command, or a request. */
export type SubjectDrawing = {
	/** Returns what it is, on one line. */
	readonly title: (style: DrawingStyle) => string;
	/** Returns the lines that fit from `offset` on, and how many are left out. With room for all rows, nothing is. */
	readonly window: (style: DrawingStyle & {readonly rows: number; readonly offset?: number}) => {
		readonly shown: readonly string[];
		readonly leftOut: number;
	};
	/** Returns the rows that the first lines need. */
	readonly rows: (width: number, maxLines: number) => number;
};

/**
 * One way to answer a question besides no: the key, its label, and the value of the answer. One that `keeps` something beyond
 * this answer takes two keys: it says what, and for how long.
 */
export type Answer = {
	readonly key: string;
	readonly label: string;
	readonly value: string;
	readonly keeps?: {
		/** What is allowed from then on, each rule in words. All of it must have been in sight. */
		readonly rules: readonly string[];
		/** Where and until when, in words. */
		readonly life: string;
	};
};

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

/** What is open between the transcript and the prompt. It has the focus, unless the user writes a draft. */
export type Panel =
	| {
			readonly kind: 'pick';
			readonly title: string;
			/** When it opened by itself, on the clock of a question; undefined for one that the user opened. */
			readonly askedAt?: number;
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

/** How much of an open question was in sight, in rows from its first one. */
type Sight = {
	/** How it is laid out: what was read of another layout counts only once it was read whole. */
	readonly layout: string;
	readonly total: number;
	readonly read: number;
	/** The rows that a page scrolls without leaving one out. */
	readonly page: number;
	/** The rows that stay in sight above those that scroll. */
	readonly lead: number;
};

/** What the next key does in an open panel, beside the time. */
type Guard = {
	/** What gets the keys; undefined for the draft if it has text, otherwise the panel. */
	readonly focus: 'draft' | 'panel' | undefined;
	/** What the last key was, if it was ignored, and what to do; '' if it wasn't. */
	readonly note: string;
	/** The value of the answer that its key gives when it is pressed once more. */
	readonly armed: string | undefined;
	/** True once the user has edited or marked something in the panel. */
	readonly isTouched: boolean;
	readonly sight: Sight | undefined;
};

/** A session of this folder, for completion. Its texts are untrusted. */
export type SavedSession = Pick<SessionSummary, 'id' | 'title' | 'preview'>;

export type Size = {readonly columns: number; readonly rows: number};

export type ViewSlice = {
	readonly composer: ComposerState;
	/** When a key last went to the prompt, answered a panel, or was ignored, on the clock of `askedAt`; undefined before the first. */
	readonly typedAt: number | undefined;
	readonly size: Size;
	/** Since when a panel is in sight, on the clock of `askedAt`; infinity while a view or a tiny window hides it. */
	readonly inSightSince: number;
	readonly panel: Panel | undefined;
	readonly guard: Guard;
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
	/** Opens a panel. While the user writes a draft, it gets no keys before they move to it (SAFETY 4). */
	setPanel: (panel: Panel | undefined) => void;
	/** Notes what a key did in the open panel. */
	setGuard: (guard: Partial<Omit<Guard, 'sight' | 'isTouched'>>) => void;
	/** Notes which rows of the open question are in sight. */
	showRows: (shown: Omit<Sight, 'read'> & {readonly from: number; readonly to: number}) => void;
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

const untouched: Guard = {focus: undefined, note: '', armed: undefined, isTouched: false, sight: undefined};

/** Returns true if the open panel gets the keys, and not the draft. */
export function panelHasFocus({panel, guard, composer}: Pick<ViewSlice, 'panel' | 'guard' | 'composer'>): boolean {
	return (
		panel !== undefined &&
		panel.kind !== 'lines' &&
		(guard.focus === undefined ? composer.text === '' : guard.focus === 'panel')
	);
}

/** Returns true for a panel that is not shown before the user moves to it: unlike a question, it needs no answer. */
export function waits({kind}: Panel): boolean {
	return kind !== 'lines' && kind !== 'confirm' && kind !== 'ask';
}

/** Returns the rows of the open question that were never in sight; of one that was not drawn, all that it is about. */
export function unreadRows({panel, guard: {sight}}: Pick<ViewSlice, 'panel' | 'guard'>): number {
	const hasRows = panel?.kind === 'confirm' && (panel.subject !== undefined || panel.about !== undefined);
	return sight ? sight.total - sight.read : hasRows ? Number.POSITIVE_INFINITY : 0;
}

/**
 * What gets the keys of a panel that opens: itself, if the user opened it while they wrote nothing, or with a key of another
 * panel; otherwise whatever has them from then on.
 */
function initialFocus(panel: Panel | undefined, {text}: ComposerState): Guard['focus'] {
	const mayWait =
		panel?.kind === 'confirm' || panel?.kind === 'ask' || (panel?.kind === 'pick' && panel.askedAt !== undefined);
	return panel?.kind === 'edit' || (text === '' && !mayWait) ? 'panel' : undefined;
}

export const createViewSlice: StateCreator<ViewSlice> = (set, get) => ({
	composer: emptyComposer,
	typedAt: undefined,
	size: {columns: 80, rows: 24},
	inSightSince: Number.NEGATIVE_INFINITY,
	panel: undefined,
	guard: untouched,
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
		const guard = {...untouched, focus: initialFocus(panel, get().composer)};
		set({panel, guard, scroll: 0, scrollEnd: undefined, marked: 0, filter, sorted: 0, exact});
	},
	setGuard: change => set(({guard}) => ({guard: {...guard, ...change}})),
	showRows({from, to, ...shown}) {
		const {guard, inSightSince} = get();
		const {sight} = guard;
		const isRead = sight !== undefined && sight.read >= sight.total;
		const before = isRead ? shown.total : sight?.layout === shown.layout ? sight.read : 0;
		const read = Math.min(shown.total, from - shown.lead <= before ? Math.max(before, to) : before);
		const next = {...shown, read};
		const isSame = sight && (Object.keys(next) as (keyof Sight)[]).every(key => next[key] === sight[key]);
		// A view, or a window that is too small, hides it.
		if (!isSame && inSightSince < Number.POSITIVE_INFINITY) {
			set({guard: {...guard, sight: next}});
		}
	},
	setEditing: editing => set({editing}),
	setToast: toast => set({toast}),
	setCompletion: completion => set({completion}),
	setSavedSessions: savedSessions => set({savedSessions}),
	scrollBy: rows =>
		set(({scroll, scrollEnd, guard}) => ({scroll: within(scroll + rows, scrollEnd), guard: touched(guard)})),
	limitScroll: end => set(({scroll}) => ({scroll: within(scroll, end), scrollEnd: end})),
	markBy: steps => set(({marked, guard}) => ({marked: marked + steps, guard: touched(guard)})),
	setFilter: filter =>
		set(before => ({
			filter,
			...(filter.text !== before.filter.text && {scroll: 0}),
			guard: touched(before.guard),
		})),
	sortBy: steps => set(state => ({sorted: state.sorted + steps, scroll: 0})),
	toggleExact: () => set(state => ({exact: !state.exact})),
	setBusy(busy, command = '') {
		set({busy, command});
	},
});

/** Returns the guard after a key that moved or edited something: what it said before is over. */
function touched(guard: Guard): Guard {
	return guard.isTouched && guard.note === '' && guard.armed === undefined
		? guard
		: {...guard, isTouched: true, note: '', armed: undefined};
}

/** Returns the nearest row from 0 to `end`; any row without an end. */
function within(row: number, end: number | undefined): number {
	return end === undefined ? row : Math.max(0, Math.min(row, end));
}
