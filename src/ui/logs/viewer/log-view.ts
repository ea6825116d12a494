import {formatNumber} from '../../../core/format.ts';
import {hintKey, hintsOf, keyLabel, shortLabel} from '../../../editor/keymap/key-label.ts';
import {keymapOf, type OwnKeys} from '../../../editor/keymap/keymap.ts';
import {type LogViewerAction, viewerKeys} from '../../../editor/keymap/view-keys.ts';
import type {OpenLog} from '../../../store/logs-slice.ts';
import type {Size} from '../../../store/view-slice.ts';
import {fitHints, fitParts} from '../../../terminal/text/fit-parts.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';
import type {Palette} from '../../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../../terminal/text/width.ts';
import {wrapLine} from '../../../terminal/text/wrap.ts';
import {drawLine} from '../../line-field.ts';
import type {DrawnEntry} from '../log-lines.ts';
import {readAt, scrollAtEnd, type Viewport, visibleRows} from '../log-scroll.ts';
import {tabsLine, titleLine} from '../log-title.ts';
import type {MergedOrder} from '../merged-log.ts';
import {filterOf, type LogViewer, positionOf, type ViewerKeymap} from './log-viewer-state.ts';

export type LogPicture = {
	readonly logs: readonly OpenLog[];
	readonly focus: string;
	readonly viewer: LogViewer;
	readonly viewport: Viewport;
	/** Returns a line, drawn to the width beside the gutter. */
	readonly drawn: (place: number) => DrawnEntry;
	/** The last lines whose end is still to come, a row for each. */
	readonly openRows: readonly string[];
	readonly palette: Palette;
	/** The current time of the tail's clock, in milliseconds. */
	readonly now: number;
	/** True while the filter is still examining lines. */
	readonly isFiltering: boolean;
	/** The keys of the user. */
	readonly ownKeys: OwnKeys;
	/** How the lines of several logs are ordered. */
	readonly order?: MergedOrder | undefined;
	/** Said instead of the keys, where something else needs the person. */
	readonly notice: string;
};

/** Cells before each line: the selection, and the marker of a match. */
export const gutter = 2;

function keysLine(keymap: ViewerKeymap, columns: number): string {
	const hints = hintsOf(keymap, [
		['help', 'viewer.help'],
		['search', 'viewer.search'],
		['filter', 'viewer.filter'],
		['latest', 'viewer.last'],
		['mark', 'viewer.mark'],
		['attach', 'viewer.attach'],
		['raw', 'viewer.raw'],
	]);
	return fitHints([...hints, 'Esc close'], columns);
}

/** Returns the number of rows for lines in a window of that height. */
export function bodyRows(picture: Pick<LogPicture, 'logs' | 'viewer' | 'focus'>, rows: number): number {
	return Math.max(1, rows - headRows(picture.logs) - 1 - (hasConditions(picture) ? 1 : 0));
}

/** Draws the viewer: the title with the state, the lines, the filter, and the keys. */
export function drawLogScreen(picture: LogPicture, {columns, rows}: Size): readonly string[] {
	const {logs, viewer, viewport, focus, palette, ownKeys} = picture;
	const {scroll} = positionOf(viewer, focus);
	const paused = scroll && {came: Math.max(0, viewport.log.end() - scroll.since)};
	const head = [
		titleLine({...picture, filter: '', hides: 0}, columns, paused, []),
		...(headRows(logs) > 1 ? [tabsLine(picture, columns)] : []),
	];
	const room = bodyRows(picture, rows);
	const page =
		viewer.help === undefined
			? undefined
			: helpPage(viewer.help, {columns, rows: room}, keymapOf(viewerKeys, ownKeys), palette);
	const body = page?.lines ?? bodyLines(picture, columns);
	return [
		...head,
		...Array.from({length: room}, (_, index) => body[index] ?? ''),
		...(hasConditions(picture) ? [palette.dim(conditions(picture, columns))] : []),
		page ? palette.dim(page.keys) : footer(picture, columns),
	].slice(0, rows);
}

/** Returns where the caret is while the input line is open. */
export function caretOf({viewer}: Pick<LogPicture, 'viewer'>, {columns, rows}: Size) {
	return viewer.field && {row: rows - 1, column: drawField(viewer.field, columns).column};
}

function headRows(logs: readonly OpenLog[]): number {
	return logs.length > 1 ? 2 : 1;
}

/** Returns how many rows are left for lines that have ended, and the open ones that stand under them. */
export function withOpenRows({openRows}: LogPicture, rows: number) {
	const open = openRows.slice(0, Math.max(0, rows - 1) || 1);
	return {rest: Math.max(0, rows - open.length), open: open.map(row => `  ${row}`)};
}

function bodyLines(picture: LogPicture, columns: number): readonly string[] {
	const {viewer, focus, viewport: given} = picture;
	if (positionOf(viewer, focus).scroll) {
		return endedLines(picture, columns);
	}

	const {rest, open} = withOpenRows(picture, given.rows);
	const viewport = {...given, rows: rest};
	const hasLines = rest > 0 && (open.length === 0 || scrollAtEnd(viewport) !== undefined);
	return [...(hasLines ? endedLines({...picture, viewport}, columns) : []), ...open];
}

function endedLines({viewport, viewer, focus, drawn, palette}: LogPicture, columns: number): readonly string[] {
	const position = positionOf(viewer, focus);
	const end = scrollAtEnd(viewport);
	if (!end) {
		return [truncate(palette.dim(whyEmpty(viewport)), columns)];
	}

	const scroll = position.scroll && readAt(viewport, position.scroll, position.scroll.cursor);
	const {top, row} = scroll ?? end;
	const [first, last] = [position.mark ?? Number.NaN, scroll?.cursor ?? end.cursor].sort((a, b) => a - b);
	return visibleRows(viewport, {top, row}).map(([place, part]) => {
		const {rows, isMatch} = drawn(place);
		const isChosen = first !== undefined && last !== undefined && place >= first && place <= last;
		const isCursor = place === scroll?.cursor && part === 0;
		const sign = isCursor ? palette.accent('❯') : isChosen ? palette.accent('▌') : ' ';
		return `${sign}${isMatch && part === 0 ? palette.warning('•') : ' '}${rows[part] ?? ''}`;
	});
}

/** Returns why no line is shown. */
export function whyEmpty({log}: Viewport): string {
	return log.end() === log.start() ? 'No log lines yet.' : 'No line matches the filter.';
}

function hasConditions({viewer, focus}: Pick<LogPicture, 'viewer' | 'focus'>): boolean {
	const {search, highlights} = viewer;
	const {patterns, minLevel} = filterOf(viewer, focus);
	return patterns.length > 0 || minLevel !== undefined || search !== '' || highlights.length > 0;
}

/** Returns what the lines are filtered by and searched for. Texts are cut first, and how many lines are hidden stays. */
function conditions({viewer, focus, viewport, isFiltering}: LogPicture, columns: number): string {
	const {search, highlights} = viewer;
	const {patterns, minLevel} = filterOf(viewer, focus);
	const hidden = `${formatNumber(viewport.shown.hidden())}${isFiltering ? '…' : ''} hidden`;
	const parts = [
		...(patterns.length > 0 ? [{text: `filter ${patterns.map(safeLine).join(' & ')}`, rank: 2, least: 12}] : []),
		...(minLevel ? [{text: `level>=${minLevel}`, rank: 1}] : []),
		...(patterns.length > 0 || minLevel ? [{text: hidden, rank: 0}] : []),
		...(search ? [{text: `search ${safeLine(search)}`, rank: 3, least: 12}] : []),
		...(highlights.length > 0 ? [{text: `highlight ${highlights.map(safeLine).join(', ')}`, rank: 4, least: 14}] : []),
	];
	return fitParts(
		parts.map(part => ({...part, role: String})),
		columns,
	);
}

function footer({viewer, notice, palette, ownKeys}: LogPicture, columns: number): string {
	if (viewer.field) {
		const line = labels[viewer.field.kind] + drawField(viewer.field, columns).text;
		return viewer.note ? truncate(`${line}  ${palette.warning(safeLine(viewer.note))}`, columns) : line;
	}

	const text = safeLine(viewer.note || notice);
	return truncate(text ? palette.label(text) : palette.dim(keysLine(keymapOf(viewerKeys, ownKeys), columns)), columns);
}

const labels = {search: 'Search: ', filter: 'Filter: ', highlight: 'Highlight: ', save: 'Save as: '} as const;

/** Draws the input line after its label. */
function drawField({kind, composer}: NonNullable<LogViewer['field']>, columns: number) {
	return drawLine(labels[kind], composer, columns);
}

type Row = readonly [meaning: string, ...actions: readonly LogViewerAction[]];

/** Returns what the actions do; those of a row share a meaning. */
function meanings(keymap: ViewerKeymap): readonly Row[] {
	const wrap = hintKey(keymap, 'viewer.wrap');
	const last = hintKey(keymap, 'viewer.last');
	return [
		[`a line up or down; this pauses${last && ` until ${last}`}`, 'viewer.up', 'viewer.down'],
		['a page up or down', 'viewer.page-up', 'viewer.page-down'],
		['the oldest line', 'viewer.first'],
		['jump to the latest line and follow it', 'viewer.last'],
		[`scroll long lines sideways${wrap && `; ${wrap} wraps them`}`, 'viewer.left', 'viewer.right'],
		['search with a regex, next match, previous match', 'viewer.search', 'viewer.next-match', 'viewer.previous-match'],
		['filter by a regex or level>=warn, ! excludes; Enter without text removes the last filter', 'viewer.filter'],
		['highlight matches; Enter without text removes the last highlight', 'viewer.highlight'],
		['the minimum level', 'viewer.level'],
		['use this filter and level for all logs', 'viewer.filter-all'],
		['lines as received; or JSON and logfmt with time, level and message first, and traces folded', 'viewer.raw'],
		['wrap long lines, or cut them', 'viewer.wrap'],
		['arrival times: off, local, UTC, since the previous line', 'viewer.times'],
		['open or close the folded frames of a stack trace, or a line of JSON', 'viewer.fold'],
		['mark one end of a range; the cursor is the other end', 'viewer.mark'],
		['copy the range, or the line, to the clipboard', 'viewer.copy'],
		['save the range, or all shown lines', 'viewer.save'],
		['attach the range, or the line, to the prompt', 'viewer.attach'],
		['the transcript at the time of this line', 'viewer.transcript'],
		['the next log, the previous log', 'viewer.next-log', 'viewer.previous-log'],
		['close the log viewer', 'viewer.close', 'logs.viewer'],
	];
}

/** Returns the keys of actions: the first one of each, then the second ones, and so on. */
function keysOf({keys}: ViewerKeymap, actions: readonly LogViewerAction[]): string {
	const all = actions.map(action => keys[action]);
	const most = Math.max(...all.map(({length}) => length));
	const turns = Array.from({length: most}, (_, turn) =>
		all
			.flatMap(each => each[turn] ?? [])
			.map(shortLabel)
			.join(' '),
	);
	return [...turns, ...(actions.includes('viewer.close') ? ['Esc'] : [])].join('  ');
}

/** Returns one page of the help. Pages wrap around, so any number is valid. */
function helpPage(page: number, {columns, rows}: Size, keymap: ViewerKeymap, palette: Palette) {
	const shown = meanings(keymap)
		.map(([meaning, ...actions]) => [keysOf(keymap, actions), meaning] as const)
		.filter(([keys]) => keys !== '');
	const width = Math.max(...shown.map(([keys]) => lineWidth(keys)));
	const lines = shown.flatMap(([keys, meaning]) =>
		wrapLine(meaning, columns, {
			first: `  ${palette.label(padEnd(keys, width))}  `,
			rest: ' '.repeat(width + 4),
		}),
	);
	const pages = Math.ceil(lines.length / rows);
	const index = ((page % pages) + pages) % pages;
	const next = keymap.keys['viewer.page-down'].at(-1);
	const more =
		pages > 1 ? [`page ${index + 1} of ${pages}`, ...(next === undefined ? [] : [`${keyLabel(next)} next`])] : [];
	return {
		lines: lines.slice(index * rows, (index + 1) * rows),
		keys: fitHints([...more, 'Esc close'], columns),
	};
}
