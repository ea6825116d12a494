import type {ComposerState} from '../../../editor/editor-state.ts';
import type {Keymap} from '../../../editor/keymap/keymap.ts';
import type {LogViewerAction} from '../../../editor/keymap/view-keys.ts';
import type {Level} from '../../../logs/levels.ts';
import type {LogToFollow} from '../../../logs/log-to-follow.ts';
import {allLogs, type OpenLog} from '../../../store/logs-slice.ts';
import type {Folding} from '../folded-frames.ts';
import {opensJson, type TimeStyle} from '../log-lines.ts';
import {type ScrollPosition, scrollAtEnd, type Viewport} from '../log-scroll.ts';

/** What the input line at the lower edge is for. */
export type FieldKind = 'search' | 'filter' | 'highlight' | 'save';

/** Where the viewer is in one log, or in all logs together. */
export type ViewerPosition = {
	/** Undefined while the viewer follows the end. */
	readonly scroll?: ScrollPosition | undefined;
	/** One end of the selected lines; the cursor is the other one. */
	readonly mark?: number | undefined;
	/** Folds of stack traces, and lines of JSON, that are shown in full, by their first place. */
	readonly opened?: ReadonlySet<number> | undefined;
};

const noneOpened: ReadonlySet<number> = new Set();

/** Returns what is shown in full in the log in front. */
export function openedOf(viewer: LogViewer, focus: string): ReadonlySet<number> {
	return positionOf(viewer, focus).opened ?? noneOpened;
}

/** Which lines of one log, or of all logs together, are shown. */
export type LineFilter = {
	/** All of them must hold, as in `createFilter`. */
	readonly patterns: readonly string[];
	/** The minimum level that is shown. */
	readonly minLevel: Level | undefined;
};

/** What the log viewer shows, and how. The lines are elsewhere. */
export type LogViewer = {
	/** By environment, or `allLogs`. */
	readonly positions: ReadonlyMap<string, ViewerPosition>;
	readonly filters: ReadonlyMap<string, LineFilter>;
	readonly highlights: readonly string[];
	readonly search: string;
	readonly wrap: boolean;
	readonly times: TimeStyle;
	/** Cells skipped at the left if lines are not wrapped. */
	readonly sideways: number;
	/** True to show lines of JSON and logfmt as they were received. */
	readonly raw: boolean;
	/** Which frames of stack traces are folded, unless lines are shown as they were received. */
	readonly folding: Folding;
	readonly field: {readonly kind: FieldKind; readonly composer: ComposerState} | undefined;
	/** The page of the help that is shown instead of lines; undefined if it is closed. */
	readonly help: number | undefined;
	/** The note about the last key, '' for none. */
	readonly note: string;
};

export const emptyViewer: LogViewer = {
	positions: new Map(),
	filters: new Map(),
	highlights: [],
	search: '',
	wrap: false,
	times: 'off',
	sideways: 0,
	raw: false,
	folding: 'libraries',
	field: undefined,
	help: undefined,
	note: '',
};

/** What a key asks the app to do. */
export type ViewerAction =
	| {readonly type: 'close' | 'redraw' | 'suspend' | 'copy' | 'attach' | 'transcript'}
	| {readonly type: 'search'; readonly direction: 'forward' | 'backward'}
	| {readonly type: 'save'; readonly path: string}
	| {readonly type: 'cycle'; readonly steps: number};

export type ViewerStep = {readonly viewer: LogViewer; readonly action?: ViewerAction};

export type ViewerKeymap = Keymap<LogViewerAction>;

/** What a key applies to. */
export type ViewerFocus = {
	/** The log in front, and all that can be in front. */
	readonly focus: string;
	readonly places: readonly string[];
	readonly viewport: Viewport;
	/** The default name of a saved file. */
	readonly fileName: string;
	readonly keymap: ViewerKeymap;
	/** The keys that edit a field; the default ones without it. */
	readonly promptKeymap?: Keymap;
};

const everything: LineFilter = {patterns: [], minLevel: undefined};

/** Returns the position in the log in front. */
export function positionOf({positions}: LogViewer, focus: string): ViewerPosition {
	return positions.get(focus) ?? {};
}

export function withPosition(viewer: LogViewer, focus: string, position: ViewerPosition): LogViewer {
	return {...viewer, positions: new Map([...viewer.positions, [focus, position]])};
}

/** Returns the filter of the log in front. */
export function filterOf({filters}: LogViewer, focus: string): LineFilter {
	return filters.get(focus) ?? everything;
}

export function withFilter(viewer: LogViewer, focus: string, change: Partial<LineFilter>): LogViewer {
	const filter = {...filterOf(viewer, focus), ...change};
	return {...viewer, filters: new Map([...viewer.filters, [focus, filter]])};
}

/** Uses the filter of the log in front for all logs. */
export function withFilterForAll(viewer: LogViewer, {focus, places}: ViewerFocus): LogViewer {
	const filter = filterOf(viewer, focus);
	return {...viewer, filters: new Map(places.map(place => [place, filter]))};
}

/** Applies the filter that a log was opened with. Without one, the current filter stays. */
export function withRequestedFilter(viewer: LogViewer, {environment, patterns = [], minLevel}: LogToFollow): LogViewer {
	const isAsked = patterns.length > 0 || minLevel !== undefined;
	return isAsked
		? withFilter(viewer, environment, {patterns, minLevel: minLevel === 'trace' ? undefined : minLevel})
		: viewer;
}

/** Removes the newest pattern, or the minimum level if there is none. */
export function withoutLastPattern(viewer: LogViewer, focus: string): LogViewer {
	const {patterns} = filterOf(viewer, focus);
	const change = patterns.length > 0 ? {patterns: patterns.slice(0, -1)} : {minLevel: undefined};
	return withFilter(viewer, focus, change);
}

/**
 * Returns the viewer without what it knew of closed logs. Their places among all logs together are reused by other lines,
 * so the position there is dropped, too; its filter stays.
 */
export function withOnly(viewer: LogViewer, logs: readonly OpenLog[]): LogViewer {
	const isOpen = (focus: string) => logs.some(({environment}) => environment === focus);
	const positions = [...viewer.positions].filter(([focus]) => isOpen(focus));
	const filters = [...viewer.filters].filter(([focus]) => focus === allLogs || isOpen(focus));
	return {...viewer, positions: new Map(positions), filters: new Map(filters)};
}

/** Opens or closes what is folded at the cursor: frames of a stack trace, or a line of JSON. */
export function withToggled(viewer: LogViewer, focus: string, viewport: Viewport): LogViewer {
	const {log, shown} = viewport;
	const {scroll = scrollAtEnd(viewport), ...position} = positionOf(viewer, focus);
	if (!scroll) {
		return viewer;
	}

	const entry = log.at(scroll.cursor);
	const isJson = !viewer.raw && entry?.kind === 'line' && opensJson(entry.text);
	const fold = shown.frameOf(scroll.cursor).fold ?? (isJson ? scroll.cursor : undefined);
	if (fold === undefined) {
		return {...viewer, note: 'Nothing more to show.'};
	}

	const opened = new Set(openedOf(viewer, focus));
	const isClosed = opened.delete(fold);
	if (!isClosed) {
		opened.add(fold);
	}

	// The other frames lose their rows.
	const cursor = isClosed ? Math.max(fold, log.start()) : scroll.cursor;
	const top = isClosed ? Math.min(scroll.top, cursor) : scroll.top;
	return withPosition(viewer, focus, {...position, scroll: {...scroll, cursor, top, row: 0}, opened});
}

/** Opens the fold that an entry is in, if it is in one. */
export function withOpenedAt(viewer: LogViewer, focus: string, {shown}: Viewport, place: number): LogViewer {
	const {fold} = shown.frameOf(place);
	const opened = openedOf(viewer, focus);
	return fold === undefined || (shown.rowOf(place) === place && shown.frameOf(place).folded === 0)
		? viewer
		: withPosition(viewer, focus, {...positionOf(viewer, focus), opened: new Set([...opened, fold])});
}
