import type {StateCreator} from 'zustand/vanilla';
import {setComposerText} from '../editor/editor.ts';
import {type ComposerState, emptyComposer} from '../editor/editor-state.ts';
import type {ViewSlice} from './view-slice.ts';

/** What is open between the transcript and the prompt. What else it holds is known to the module of its kind, in the screen. */
export type OpenPanel = {
	readonly kind: string;
	/**
	 * When a question was asked, on a monotonic clock: keys that were read before do not answer it (SAFETY 4). Undefined for
	 * what the user opened.
	 */
	readonly askedAt?: number | undefined;
};

/**
 * How a panel shares the keys with the draft in the prompt. One that `asks` is in sight even while the user writes a draft; one
 * that `follows` an answer of the user gets the keys at once; one that `waits` is not shown before the user moves to it; and one
 * that only `shows` something leaves the keys to the prompt.
 */
export type PanelManner = 'asks' | 'follows' | 'waits' | 'shows';

/** What a panel begins with. */
export type PanelOpening = {
	readonly manner: PanelManner;
	/** The text of its editor or field. */
	readonly text?: string;
	/** True to show times in full. */
	readonly exact?: boolean;
	/** True if it has rows that must be in sight before a yes counts. */
	readonly hasRowsToRead?: boolean;
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
export type PanelGuard = {
	/** What gets the keys; undefined for the draft if it has text, otherwise the panel. */
	readonly focus: 'draft' | 'panel' | undefined;
	/** What the last key was, if it was ignored, and what to do; '' if it wasn't. */
	readonly note: string;
	/** The value of the answer that its key gives when it is pressed once more. */
	readonly armed: string | undefined;
	/** True once the user has edited or marked something in the panel. */
	readonly isTouched: boolean;
	/** The rows that were in sight; undefined before it was drawn. */
	readonly sight: Sight | undefined;
	readonly hasRowsToRead: boolean;
};

export type PanelSlice = {
	readonly panel: OpenPanel | undefined;
	/** How many questions wait until the open panel closes. */
	readonly hiddenQuestions: number;
	/** Undefined without a panel. */
	readonly manner: PanelManner | undefined;
	readonly guard: PanelGuard;
	/** Since when a panel is in sight, on the clock of `askedAt`; infinity while a view or a tiny window hides it. */
	readonly inSightSince: number;
	/** How far the open panel is scrolled, or which of its choices is selected, counted in key presses from 0. */
	readonly scroll: number;
	/** How far the open panel can be scrolled; undefined for one that isn't, and before it was drawn. */
	readonly scrollEnd: number | undefined;
	/** Steps of the arrow keys through the answers of an open question, from 0. */
	readonly marked: number;
	/** The filter of an open picker or table, or the text of an open editor or field. */
	readonly filter: ComposerState;
	/** Steps through the sort orders of an open table, from 0. */
	readonly sorted: number;
	/** True if an open table shows times in full. */
	readonly exact: boolean;

	/** Opens a panel. While the user writes a draft, it gets no keys before they move to it (SAFETY 4). */
	setPanel: (panel: OpenPanel, opening: PanelOpening) => void;
	closePanel: () => void;
	/** Notes what a key did in the open panel. */
	setGuard: (guard: Partial<Pick<PanelGuard, 'focus' | 'note' | 'armed'>>) => void;
	/** Notes which rows of the open question are in sight. */
	showRows: (shown: Omit<Sight, 'read'> & {readonly from: number; readonly to: number}) => void;
	scrollBy: (rows: number) => void;
	/** Scrolls no further than to this row, now and later. */
	limitScroll: (end: number) => void;
	markBy: (steps: number) => void;
	/** Selects the first choice again if the text changed. */
	setFilter: (filter: ComposerState) => void;
	sortBy: (steps: number) => void;
	toggleExact: () => void;
};

/** Returns true if the open panel gets the keys, and not the draft. */
export function panelHasFocus({manner, guard, composer}: PanelSlice & Pick<ViewSlice, 'composer'>): boolean {
	return needsUser({manner}) && (guard.focus === undefined ? composer.text === '' : guard.focus === 'panel');
}

/** Returns true while a panel is open that the user answers or leaves, not one that only shows something. */
export function needsUser({manner}: Pick<PanelSlice, 'manner'>): boolean {
	return manner !== undefined && manner !== 'shows';
}

/** Returns true for a panel that is not shown before the user moves to it: unlike a question, it needs no answer. */
export function isHiddenByDraft(state: PanelSlice & Pick<ViewSlice, 'composer'>): boolean {
	return (state.manner === 'waits' || state.manner === 'follows') && !panelHasFocus(state);
}

/** Returns the rows of the open question that were never in sight; of one that was not drawn, all that it is about. */
export function unreadRows({guard: {sight, hasRowsToRead}}: Pick<PanelSlice, 'guard'>): number {
	return sight ? sight.total - sight.read : hasRowsToRead ? Number.POSITIVE_INFINITY : 0;
}

const closed = {
	panel: undefined,
	manner: undefined,
	guard: {
		focus: undefined,
		note: '',
		armed: undefined,
		isTouched: false,
		sight: undefined,
		hasRowsToRead: false,
	},
	scroll: 0,
	scrollEnd: undefined,
	marked: 0,
	filter: emptyComposer,
	sorted: 0,
	exact: false,
} as const;

export const createPanelSlice: StateCreator<PanelSlice & ViewSlice, [], [], PanelSlice> = (set, get) => ({
	...closed,
	hiddenQuestions: 0,
	inSightSince: Number.NEGATIVE_INFINITY,

	setPanel(panel, {manner, text = '', exact = false, hasRowsToRead = false}) {
		// The user opened it while they wrote nothing, or with a key of another panel; otherwise whatever has the keys keeps them.
		const getsKeys = manner === 'follows' || (get().composer.text === '' && panel.askedAt === undefined);
		const focus = getsKeys ? 'panel' : undefined;
		const filter = text ? setComposerText(emptyComposer, text) : emptyComposer;
		set({...closed, panel, manner, guard: {...closed.guard, focus, hasRowsToRead}, filter, exact});
	},
	closePanel: () => set(closed),
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
});

/** Returns the guard after a key that moved or edited something: what it said before is over. */
function touched(guard: PanelGuard): PanelGuard {
	return guard.isTouched && guard.note === '' && guard.armed === undefined
		? guard
		: {...guard, isTouched: true, note: '', armed: undefined};
}

/** Returns the nearest row from 0 to `end`; any row without an end. */
function within(row: number, end: number | undefined): number {
	return end === undefined ? row : Math.max(0, Math.min(row, end));
}
