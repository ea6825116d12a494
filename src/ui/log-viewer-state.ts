import type {Level} from '../logs/levels.ts';
import type {ComposerState} from '../store/composer.ts';
import type {TimeStyle} from './log-lines.ts';
import type {Reading, Sight} from './log-scroll.ts';

/** What is typed into a line at the lower edge. */
export type FieldKind = 'search' | 'filter' | 'highlight' | 'save';

/** How one log, or all of them together, are looked at. */
export type Position = {
	/** Undefined while the end is followed. */
	readonly reading?: Reading | undefined;
	/** The other end of the chosen lines; the cursor is the one end. */
	readonly mark?: number | undefined;
};

/** The viewer of logs: what it shows and how. The lines are elsewhere. */
export type LogViewer = {
	/** By environment, or `allLogs`. */
	readonly positions: ReadonlyMap<string, Position>;
	readonly filters: readonly string[];
	readonly highlights: readonly string[];
	readonly search: string;
	/** The least severe level that is shown. */
	readonly least: Exclude<Level, 'trace'> | undefined;
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
	filters: [],
	highlights: [],
	search: '',
	least: undefined,
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

/** What a key is applied to: which log is in front, what of it is seen, and how a saved file would be called. */
export type ViewerFocus = {readonly focus: string; readonly sight: Sight; readonly fileName: string};

/** The position of what is in front. */
export function positionOf({positions}: LogViewer, focus: string): Position {
	return positions.get(focus) ?? {};
}

export function withPosition(viewer: LogViewer, focus: string, position: Position): LogViewer {
	return {...viewer, positions: new Map([...viewer.positions, [focus, position]])};
}
