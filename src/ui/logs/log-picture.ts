import type {AppError} from '../../core/error.ts';
import {createFilter} from '../../logs/filter.ts';
import {createMatcher, type Matcher} from '../../logs/matcher.ts';
import {allLogs, type OpenLog} from '../../store/logs-slice.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {type DrawnEntry, drawEntry, type LineStyle} from './log-lines.ts';
import type {Viewport} from './log-scroll.ts';
import {createShownLines, type ShownLines} from './log-shown.ts';
import type {LogEntries} from './merged-log.ts';
import {type LogViewer, filterOf} from './viewer/log-viewer-state.ts';

/** What of a log is looked at, with what only a drawing needs. */
export type RenderedLog = {
	readonly viewport: Viewport;
	readonly drawn: (place: number) => DrawnEntry;
	/** True where the filter has more to look at. */
	readonly isFiltering: boolean;
};

type RenderRequest = {
	readonly viewer: LogViewer;
	readonly logs: readonly OpenLog[];
	readonly focus: string;
	readonly log: LogEntries;
	/** Cells beside the gutter, and rows for lines. */
	readonly width: number;
	readonly rows: number;
};

/** Drawn lines that are kept: some screens full. */
const mostDrawn = 600;

const nothing: LogEntries = {at: () => undefined, start: () => 0, end: () => 0};

/**
 * Looks at logs as the viewer says, and remembers what is costly: which lines a filter shows, and how lines are drawn.
 * Only lines that are on the screen are drawn. Calls `onRefused` where a filter takes too long.
 */
export function createLogRenderer(palette: Palette, onRefused: (error: AppError, focus: string) => void) {
	const shownLines = new Map<string, {readonly log: LogEntries; readonly key: string; readonly shown: ShownLines}>();
	const matchers = new Map<string, Matcher>();
	let drawnKey = '';
	let drawnLog: LogEntries | undefined;
	let drawnEntries = new Map<number, DrawnEntry>();

	const matcherOf = (source: string): Matcher => {
		const matcher = matchers.get(source) ?? createMatcher(source);
		matchers.set(source, matcher);
		return matcher;
	};

	const shownOf = (focus: string, log: LogEntries, viewer: LogViewer): ShownLines => {
		const {patterns, minLevel} = filterOf(viewer, focus);
		const key = JSON.stringify([patterns, minLevel]);
		const before = shownLines.get(focus);
		if (before?.key === key && before.log === log) {
			return before.shown;
		}

		const isOpen = patterns.length === 0 && minLevel === undefined;
		const shown = createShownLines(log, isOpen ? undefined : createFilter({patterns: patterns, minLevel}));
		shownLines.set(focus, {log, key, shown});
		return shown;
	};

	const advance = (shown: ShownLines, focus: string): boolean => {
		try {
			return shown.advance();
		} catch (error) {
			onRefused(error as AppError, focus);
			return false;
		}
	};

	const drawnIn = ({viewer, logs, focus, log, width}: RenderRequest): RenderedLog['drawn'] => {
		const {wrap, sideways, times, search, highlights} = viewer;
		const tags = focus === allLogs ? new Map(logs.map(open => [open.environment, open])) : undefined;
		const titles = tags && logs.map(({title, hue}) => [title, hue]);
		const key = JSON.stringify([focus, width, wrap, sideways, times, search, highlights, titles]);
		if (key !== drawnKey || log !== drawnLog || drawnEntries.size > mostDrawn) {
			drawnEntries = new Map();
			drawnKey = key;
			drawnLog = log;
		}

		const entries = drawnEntries;
		const style: LineStyle = {
			width,
			palette,
			wrap,
			sideways,
			times,
			...(tags && {tags}),
			search: search ? matcherOf(search) : undefined,
			highlights: highlights.map(matcherOf),
		};
		return place => {
			const entry = entries.get(place) ?? drawEntry(log, place, style);
			entries.set(place, entry);
			return entry;
		};
	};

	return {
		look(looked: RenderRequest): RenderedLog {
			const {focus, log, viewer, rows} = looked;
			const shown = shownOf(focus, log, viewer);
			const isFiltering = advance(shown, focus);
			const drawn = drawnIn(looked);
			const heightOf = (place: number) => (viewer.wrap ? drawn(place).rows.length : 1);
			return {viewport: {log, shown, rows, heightOf}, drawn, isFiltering};
		},
		matcherOf,
		/** A log without lines, for where there is none. */
		nothing,
	};
}
