import type {ComposerState} from '../../../editor/editor-state.ts';
import type {Level} from '../../../logs/levels.ts';
import type {LogToFollow} from '../../../logs/log-to-follow.ts';
import {allLogs, type OpenLog} from '../../../store/logs-slice.ts';
import type {TimeStyle} from '../log-lines.ts';
import type {ScrollPosition, Viewport} from '../log-scroll.ts';

/** What is typed into a line at the lower edge. */
export type FieldKind = 'search' | 'filter' | 'highlight' | 'save';

/** How one log, or all of them together, are looked at. */
export type Position = {
	/** Undefined while the end is followed. */
	readonly scroll?: ScrollPosition | undefined;
	/** The other end of the chosen lines; the cursor is the one end. */
	readonly mark?: number | undefined;
};

/** Which lines of one log, or of all of them together, are shown. */
export type LineFilter = {
	/** All of them must hold, as `createFilter` has it. */
	readonly patterns: readonly string[];
	/** The least severe level that is shown. */
	readonly minLevel: Exclude<Level, 'trace'> | undefined;
};

/** The viewer of logs: what it shows and how. The lines are elsewhere. */
export type LogViewer = {
	/** By environment, or `allLogs`; so are the narrowings, because what is noise in one log is the point of another. */
	readonly positions: ReadonlyMap<string, Position>;
	readonly filters: ReadonlyMap<string, LineFilter>;
	readonly highlights: readonly string[];
	readonly search: string;
	readonly wrap: boolean;
	readonly times: TimeStyle;
	/** Cells that are left out at the left, where lines are not wrapped. */
	readonly sideways: number;
	readonly field: {readonly kind: FieldKind; readonly composer: ComposerState} | undefined;
	/** The page of the help that is shown instead of lines; undefined for none. */
	readonly help: number | undefined;
	/** What is said about the last key; '' for nothing. */
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
	field: undefined,
	help: undefined,
	note: '',
};

/** What the viewer asks of its owner. */
export type ViewerAction =
	| {readonly type: 'close' | 'redraw' | 'suspend' | 'copy' | 'attach' | 'transcript'}
	| {readonly type: 'search'; readonly direction: 'forward' | 'backward'}
	| {readonly type: 'save'; readonly path: string}
	| {readonly type: 'cycle'; readonly steps: number};

export type ViewerStep = {readonly viewer: LogViewer; readonly action?: ViewerAction};

/** What a key is applied to. */
export type ViewerFocus = {
	/** What is in front, and everything that can be. */
	readonly focus: string;
	readonly places: readonly string[];
	/** What of it is seen. */
	readonly viewport: Viewport;
	/** How a saved file would be called. */
	readonly fileName: string;
};

const everything: LineFilter = {patterns: [], minLevel: undefined};

/** The position of what is in front. */
export function positionOf({positions}: LogViewer, focus: string): Position {
	return positions.get(focus) ?? {};
}

export function withPosition(viewer: LogViewer, focus: string, position: Position): LogViewer {
	return {...viewer, positions: new Map([...viewer.positions, [focus, position]])};
}

/** What what is in front is narrowed to. */
export function filterOf({filters}: LogViewer, focus: string): LineFilter {
	return filters.get(focus) ?? everything;
}

export function withFilter(viewer: LogViewer, focus: string, change: Partial<LineFilter>): LogViewer {
	const filter = {...filterOf(viewer, focus), ...change};
	return {...viewer, filters: new Map([...viewer.filters, [focus, filter]])};
}

/** Narrows everything that can be in front as the one that is. */
export function withFilterForAll(viewer: LogViewer, {focus, places}: Pick<ViewerFocus, 'focus' | 'places'>): LogViewer {
	const filter = filterOf(viewer, focus);
	return {...viewer, filters: new Map(places.map(place => [place, filter]))};
}

/** Narrows a log to what it was asked for with; what was asked for without anything stays as it is. */
export function withRequestedFilter(
	viewer: LogViewer,
	{environment, patterns = [], minLevel}: Pick<LogToFollow, 'environment' | 'patterns' | 'minLevel'>,
): LogViewer {
	const isAsked = patterns.length > 0 || minLevel !== undefined;
	return isAsked
		? withFilter(viewer, environment, {patterns, minLevel: minLevel === 'trace' ? undefined : minLevel})
		: viewer;
}

/** Takes away what was added last: the newest filter, or the level where there is none. */
export function withoutLastPattern(viewer: LogViewer, focus: string): LogViewer {
	const {patterns} = filterOf(viewer, focus);
	const change = patterns.length > 0 ? {patterns: patterns.slice(0, -1)} : {minLevel: undefined};
	return withFilter(viewer, focus, change);
}

/**
 * The viewer without what it knew of logs that were closed. Other lines have their places now, among all logs together too;
 * what those were narrowed to stays.
 */
export function withOnly(viewer: LogViewer, logs: readonly OpenLog[]): LogViewer {
	const isOpen = (focus: string) => logs.some(({environment}) => environment === focus);
	const positions = [...viewer.positions].filter(([focus]) => isOpen(focus));
	const filters = [...viewer.filters].filter(([focus]) => focus === allLogs || isOpen(focus));
	return {...viewer, positions: new Map(positions), filters: new Map(filters)};
}
