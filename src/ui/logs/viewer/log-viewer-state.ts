import type {ComposerState} from '../../../editor/editor-state.ts';
import type {Level} from '../../../logs/levels.ts';
import type {LogToFollow} from '../../../logs/log-to-follow.ts';
import {allLogs, type OpenLog} from '../../../store/logs-slice.ts';
import type {TimeStyle} from '../log-lines.ts';
import type {Reading, Sight} from '../log-scroll.ts';

/** What is typed into a line at the lower edge. */
export type FieldKind = 'search' | 'filter' | 'highlight' | 'save';

/** How one log, or all of them together, are looked at. */
export type Position = {
	/** Undefined while the end is followed. */
	readonly reading?: Reading | undefined;
	/** The other end of the chosen lines; the cursor is the one end. */
	readonly mark?: number | undefined;
};

/** Which lines of one log, or of all of them together, are shown. */
export type Narrowing = {
	/** All of them must hold, as `createFilter` has it. */
	readonly filters: readonly string[];
	/** The least severe level that is shown. */
	readonly least: Exclude<Level, 'trace'> | undefined;
};

/** The viewer of logs: what it shows and how. The lines are elsewhere. */
export type LogViewer = {
	/** By environment, or `allLogs`; so are the narrowings, because what is noise in one log is the point of another. */
	readonly positions: ReadonlyMap<string, Position>;
	readonly narrowings: ReadonlyMap<string, Narrowing>;
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
	narrowings: new Map(),
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
	| {readonly type: 'leave' | 'redraw' | 'suspend' | 'copy' | 'attach' | 'transcript'}
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
	readonly sight: Sight;
	/** How a saved file would be called. */
	readonly fileName: string;
};

const everything: Narrowing = {filters: [], least: undefined};

/** The position of what is in front. */
export function positionOf({positions}: LogViewer, focus: string): Position {
	return positions.get(focus) ?? {};
}

export function withPosition(viewer: LogViewer, focus: string, position: Position): LogViewer {
	return {...viewer, positions: new Map([...viewer.positions, [focus, position]])};
}

/** What what is in front is narrowed to. */
export function narrowingOf({narrowings}: LogViewer, focus: string): Narrowing {
	return narrowings.get(focus) ?? everything;
}

export function withNarrowing(viewer: LogViewer, focus: string, change: Partial<Narrowing>): LogViewer {
	const narrowing = {...narrowingOf(viewer, focus), ...change};
	return {...viewer, narrowings: new Map([...viewer.narrowings, [focus, narrowing]])};
}

/** Narrows everything that can be in front as the one that is. */
export function narrowedAlike(viewer: LogViewer, {focus, places}: Pick<ViewerFocus, 'focus' | 'places'>): LogViewer {
	const narrowing = narrowingOf(viewer, focus);
	return {...viewer, narrowings: new Map(places.map(place => [place, narrowing]))};
}

/** Narrows a log to what it was asked for with; what was asked for without anything stays as it is. */
export function narrowedAsAsked(
	viewer: LogViewer,
	{environment, patterns: filters = [], least}: Pick<LogToFollow, 'environment' | 'patterns' | 'least'>,
): LogViewer {
	const isAsked = filters.length > 0 || least !== undefined;
	return isAsked ? withNarrowing(viewer, environment, {filters, least: least === 'trace' ? undefined : least}) : viewer;
}

/** Takes away what was added last: the newest filter, or the level where there is none. */
export function widened(viewer: LogViewer, focus: string): LogViewer {
	const {filters} = narrowingOf(viewer, focus);
	const change = filters.length > 0 ? {filters: filters.slice(0, -1)} : {least: undefined};
	return withNarrowing(viewer, focus, change);
}

/**
 * The viewer without what it knew of logs that were closed. Other lines have their places now, among all logs together too;
 * what those were narrowed to stays.
 */
export function withOnly(viewer: LogViewer, logs: readonly OpenLog[]): LogViewer {
	const isOpen = (focus: string) => logs.some(({environment}) => environment === focus);
	const positions = [...viewer.positions].filter(([focus]) => isOpen(focus));
	const narrowings = [...viewer.narrowings].filter(([focus]) => focus === allLogs || isOpen(focus));
	return {...viewer, positions: new Map(positions), narrowings: new Map(narrowings)};
}
