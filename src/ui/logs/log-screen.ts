import type {AppError} from '../../core/error.ts';
import {createFilter, type Filter, type FilteredLine} from '../../logs/filter.ts';
import {levelOf} from '../../logs/levels.ts';
import {openMark} from '../../logs/log-entry.ts';
import {createMatcher, type Matcher} from '../../logs/matcher.ts';
import type {TailClock} from '../../logs/tail-clock.ts';
import {allLogs, type OpenLog} from '../../store/logs-slice.ts';
import {needsUser} from '../../store/panel-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {Size} from '../../store/view-slice.ts';
import type {CopyWay} from '../../terminal/clipboard.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth} from '../../terminal/text/width.ts';
import type {FullScreen} from '../screen/full-screen.ts';
import {createFollowedLogs, type FollowedLogs, type OpenLine} from './followed-logs.ts';
import {type DrawnEntry, drawEntry, type EntryFrame, type LineStyle} from './log-lines.ts';
import type {Viewport} from './log-scroll.ts';
import type {LogEntries} from './merged-log.ts';
import {createShownLines, type ShownLines} from './shown-lines.ts';
import {bodyRows, gutter, type LogPicture} from './viewer/log-view.ts';
import {
	emptyViewer,
	filterOf,
	type LineFilter,
	type LogViewer,
	openedOf,
	positionOf,
	withoutLastPattern,
} from './viewer/log-viewer-state.ts';
import {workspacePattern} from './workspace-paths.ts';

export type LogScreenOptions = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	/** The working folder: files are saved there, and paths below it are shown without it. */
	readonly folder: string;
	readonly homeFolder: string | undefined;
	readonly copy: (text: string) => CopyWay | undefined;
	readonly suspend: () => void;
	/** Shows the transcript at a moment, in milliseconds since the epoch. */
	readonly openTranscript: (at: number) => void;
	readonly clock?: TailClock;
};

/** What the log panel and the log viewer show, and what it is drawn from. */
export type LogScreen = LogScreenOptions & {
	readonly followed: FollowedLogs;
	readonly renderer: LogRenderer;
	viewer: LogViewer;
	/** True while the viewer is open. */
	isOpen: boolean;
	/** The size of the viewer when it was last drawn. */
	size: Size;
	search: AbortController;
	/** The next step of a filter that has more entries to examine. */
	filterStep: NodeJS.Immediate | undefined;
};

/** Creates the state of the log panel and viewer, with no log. */
export function createLogScreen(options: LogScreenOptions): LogScreen {
	const {store, palette, clock} = options;
	const screen: LogScreen = {
		...options,
		followed: createFollowedLogs({
			store,
			isSeen: environment => isSeen(screen, environment),
			shows: createShows(environment => filterOf(screen.viewer, environment)),
			...(clock && {clock}),
		}),
		renderer: createLogRenderer(palette, (error, focus) => removeFilter(screen, error, focus), options.folder),
		viewer: emptyViewer,
		isOpen: false,
		size: store.getState().size,
		search: new AbortController(),
		filterStep: undefined,
	};
	return screen;
}

/** Returns what the log in front is drawn from. A filter that has more to examine continues later. */
function pictureAt(screen: LogScreen, {columns}: Size, rows: number, viewer: LogViewer): LogPicture {
	const {store, followed, renderer, palette} = screen;
	const {logs, logFocus: focus, ownKeys} = store.getState();
	const log = followed.entriesOf(focus);
	const open = followed.openLines(focus);
	const rendered = renderer.render({viewer, logs, focus, log, open, rows, width: columns - gutter});
	if (rendered.isFiltering) {
		screen.filterStep ??= setImmediate(() => continueFiltering(screen));
	}

	const notice = needsUser(store.getState()) ? 'A question is waiting in the conversation · Esc close' : '';
	const order = log?.order?.();
	return {logs, focus, viewer, ...rendered, palette, ownKeys, now: followed.now(), notice, order};
}

/** Returns what the viewer is drawn from. */
export function viewerPicture(screen: LogScreen, size: Size): LogPicture {
	const {logs, logFocus: focus} = screen.store.getState();
	const {viewer} = screen;
	return pictureAt(screen, size, bodyRows({logs, focus, viewer}, size.rows), viewer);
}

/** Returns what the panel is drawn from: the end of the log with the filters of the viewer, and a row for each line or trace. */
export function panelPicture(screen: LogScreen, size: Size): LogPicture {
	return pictureAt(screen, size, Math.max(1, size.rows), panelViewer(screen));
}

function panelViewer({viewer, isOpen}: LogScreen): LogViewer {
	const unwrapped = {...viewer, wrap: false, sideways: 0};
	// Another way to fold costs a pass over all lines, for a panel that the open viewer covers.
	return isOpen ? unwrapped : {...unwrapped, folding: 'all', positions: new Map()};
}

/** Returns the part of the log that the viewer shows now. */
export function viewportOf(screen: LogScreen): Viewport {
	return viewerPicture(screen, screen.size).viewport;
}

/** Shows a sentence at the lower edge of the viewer. */
export function showNote(screen: LogScreen, note: string): void {
	screen.viewer = {...screen.viewer, note};
	screen.fullScreen.invalidate();
}

/** Returns true if new lines of a log are on the screen. */
function isSeen({store, viewer, isOpen, fullScreen}: LogScreen, environment: string): boolean {
	const {logFocus, logPanel} = store.getState();
	const isInFront = logFocus === environment || logFocus === allLogs;
	return isInFront && (isOpen ? !positionOf(viewer, logFocus).scroll : logPanel.isShown && !fullScreen.isOpen());
}

/** Examines more entries in a task of its own, so that keys are handled in between. */
function continueFiltering(screen: LogScreen): void {
	screen.filterStep = undefined;
	if (!pictureAt(screen, screen.size, 1, panelViewer(screen)).isFiltering) {
		screen.fullScreen.invalidate();
		screen.store.getState().updateLogs(new Map());
	}
}

function removeFilter(screen: LogScreen, error: AppError, focus: string): void {
	screen.viewer = withoutLastPattern(screen.viewer, focus);
	showNote(screen, `${error.message} It was removed.`);
}

type MatcherOf = (source: string) => Matcher;

/** What of a log is on the screen. */
type RenderedLog = {
	readonly viewport: Viewport;
	readonly drawn: (place: number) => DrawnEntry;
	/** The last lines whose end is still to come, drawn on a row each, those that the filter shows. */
	readonly openRows: readonly string[];
	/** True while the filter has more entries to examine. */
	readonly isFiltering: boolean;
};

type RenderRequest = {
	readonly viewer: LogViewer;
	readonly logs: readonly OpenLog[];
	readonly focus: string;
	readonly log: LogEntries | undefined;
	readonly open?: readonly OpenLine[];
	/** Cells beside the gutter. */
	readonly width: number;
	readonly rows: number;
};

type LogRenderer = {
	readonly render: (request: RenderRequest) => RenderedLog;
	readonly matcherOf: MatcherOf;
};

/** Most drawn lines that are kept: a few screens. */
const maxDrawn = 600;

const emptyLog: LogEntries = {at: () => undefined, start: () => 0, end: () => 0};

/**
 * Creates a renderer that caches what is expensive: which lines a filter shows, and how lines are drawn. It draws only
 * lines that are on the screen. Calls `onRejected` with a filter that takes too long. Paths below `folder` are shown without
 * it.
 */
export function createLogRenderer(
	palette: Palette,
	onRejected: (error: AppError, focus: string) => void,
	folder?: string,
): LogRenderer {
	const workspaces = workspacePattern(folder);
	const matchers = new Map<string, Matcher>();
	const matcherOf: MatcherOf = source => {
		const matcher = matchers.get(source) ?? createMatcher(source);
		matchers.set(source, matcher);
		return matcher;
	};
	const shownOf = createShownCache();
	const drawnOf = createDrawnCache(request => styleOf(request, {palette, matcherOf, workspaces}), palette);

	return {
		render(request) {
			const {focus, viewer, rows, log = emptyLog} = request;
			const shown = shownOf(focus, log, viewer);
			shown.fold(viewer.folding, openedOf(viewer, focus));
			const isFiltering = advance(shown, error => onRejected(error, focus));
			const drawn = drawnOf(request, log, shown);
			const opened = openedOf(viewer, focus);
			const heightOf = (place: number) => (viewer.wrap || opened.has(place) ? drawn(place).rows.length : 1);
			const openRows = drawOpen(request, styleOf(request, {palette, matcherOf, workspaces}));
			return {viewport: {log, shown, rows, heightOf}, drawn, openRows, isFiltering};
		},
		matcherOf,
	};
}

function advance(shown: ShownLines, onError: (error: AppError) => void): boolean {
	try {
		return shown.advance();
	} catch (error) {
		onError(error as AppError);
		return false;
	}
}

/** Keeps the shown lines of each log, until its filter changes. */
function createShownCache() {
	const cache = new Map<string, {readonly log: LogEntries; readonly key: string; readonly shown: ShownLines}>();
	return (focus: string, log: LogEntries, viewer: LogViewer): ShownLines => {
		const {patterns, minLevel} = filterOf(viewer, focus);
		const key = JSON.stringify([patterns, minLevel, viewer.raw]);
		const cached = cache.get(focus);
		if (cached?.key === key && cached.log === log) {
			return cached.shown;
		}

		const hasFilter = patterns.length > 0 || minLevel !== undefined;
		// Whoever looks for certain lines sees them, also within a trace.
		const folds = !viewer.raw && patterns.length === 0;
		const shown = createShownLines(log, {filter: hasFilter ? createFilter({patterns, minLevel}) : undefined, folds});
		cache.set(focus, {log, key, shown});
		return shown;
	};
}

type StyleParts = Pick<LineStyle, 'palette' | 'workspaces'> & {readonly matcherOf: MatcherOf};

function styleOf({viewer, logs, focus, width}: RenderRequest, parts: StyleParts): LineStyle {
	const {palette, matcherOf, workspaces} = parts;
	const {wrap, sideways, raw, times, search, highlights} = viewer;
	const tags = focus === allLogs ? new Map(logs.map(open => [open.environment, open])) : undefined;
	return {
		width,
		palette,
		workspaces,
		wrap,
		sideways,
		raw,
		times,
		...(tags && {tags}),
		search: search ? matcherOf(search) : undefined,
		highlights: highlights.map(matcherOf),
	};
}

/** Draws the open lines that the filter shows, each on one row with a mark at its end. */
function drawOpen({viewer, focus, open = []}: RenderRequest, style: LineStyle): readonly string[] {
	const lines = open.map(line => ({...line, kind: 'line' as const, level: levelOf(line.text)}));
	const {patterns, minLevel} = filterOf(viewer, focus);
	const isShown = lines.length > 0 ? shownBy(createFilter({patterns, minLevel}), lines) : [];
	const mark = style.palette.dim(openMark);
	const width = Math.max(2, style.width - lineWidth(mark));
	return lines
		.filter((_, index) => isShown[index])
		.map(line => {
			const log = {at: () => line, start: () => 0, end: () => 1, environmentAt: () => line.environment};
			const [row = ''] = drawEntry(log, 0, {...style, width, wrap: false}).rows;
			return `${row}${mark}`;
		});
}

/** Returns what says which lines of a log its filter shows; each filter is created once. */
function createShows(filterIn: (environment: string) => LineFilter) {
	const created = new WeakMap<LineFilter, Filter>();
	return (environment: string, lines: readonly FilteredLine[]): readonly boolean[] => {
		const wanted = filterIn(environment);
		const filter = created.get(wanted) ?? createFilter(wanted);
		created.set(wanted, filter);
		return shownBy(filter, lines);
	};
}

/** An expression that takes too long on an open line hides it; on a line that has ended, the filter is removed. */
function shownBy(filter: Filter, lines: Parameters<Filter['shows']>[0]): readonly boolean[] {
	try {
		return filter.shows(lines);
	} catch {
		return [];
	}
}

type DrawnPlace = {readonly entry: DrawnEntry; readonly frame: EntryFrame};

/** Keeps drawn lines by their place, until anything changes how they look. */
function createDrawnCache(styleFor: (request: RenderRequest) => LineStyle, palette: Palette) {
	let cache = {key: '', log: emptyLog, role: palette.dim, entries: new Map<number, DrawnPlace>()};
	return (request: RenderRequest, log: LogEntries, shown: ShownLines): RenderedLog['drawn'] => {
		const {viewer, logs, focus, width} = request;
		const {wrap, sideways, raw, times, search, highlights} = viewer;
		const titles = focus === allLogs && logs.map(({title, hue}) => [title, hue]);
		const key = JSON.stringify([focus, width, wrap, sideways, raw, times, search, highlights, titles]);
		if (key !== cache.key || log !== cache.log || palette.dim !== cache.role || cache.entries.size > maxDrawn) {
			cache = {key, log, role: palette.dim, entries: new Map()};
		}

		const {entries} = cache;
		const opened = openedOf(viewer, focus);
		const style = styleFor(request);
		return place => {
			const {kind, folded} = shown.frameOf(place);
			const frame = {kind, folded, isOpen: opened.has(place) && !raw};
			const cached = entries.get(place);
			// A frame is folded, and a fold grows, when further lines arrive.
			const isCurrent =
				cached !== undefined &&
				cached.frame.kind === kind &&
				cached.frame.folded === folded &&
				cached.frame.isOpen === frame.isOpen;
			const entry = isCurrent ? cached.entry : drawEntry(log, place, style, frame);
			entries.set(place, {entry, frame});
			return entry;
		};
	};
}
