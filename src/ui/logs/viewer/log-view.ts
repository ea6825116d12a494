import {formatNumber} from '../../../core/format.ts';
import type {OpenLog} from '../../../store/logs-slice.ts';
import type {Size} from '../../../store/view-slice.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';
import type {Palette} from '../../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../../terminal/text/width.ts';
import {wrapLine} from '../../../terminal/text/wrap.ts';
import {drawLine} from '../../line-field.ts';
import type {DrawnEntry} from '../log-lines.ts';
import {readAt, scrollAtEnd, type Viewport, visibleRows} from '../log-scroll.ts';
import {tabsLine, titleLine} from '../log-title.ts';
import {filterOf, type LogViewer, positionOf} from './log-viewer-state.ts';

export type LogPicture = {
	readonly logs: readonly OpenLog[];
	readonly focus: string;
	readonly viewer: LogViewer;
	readonly viewport: Viewport;
	/** Returns a line, drawn to the width beside the gutter. */
	readonly drawn: (place: number) => DrawnEntry;
	readonly palette: Palette;
	/** The current time of the tail's clock, in milliseconds. */
	readonly now: number;
	/** True while the filter is still examining lines. */
	readonly isFiltering: boolean;
	/** Said instead of the keys, where something else needs the person. */
	readonly notice: string;
};

/** Cells before each line: the selection, and the marker of a match. */
export const gutter = 2;

const keysLine = '? help · / search · & filter · p raw · m mark · a attach · End latest · q close';

const help: readonly (readonly [keys: string, meaning: string])[] = [
	['Up Down  j k', 'a line up or down; this pauses until End'],
	['PgUp PgDn  b Space', 'a page up or down'],
	['Home  g', 'the oldest line'],
	['End  G', 'jump to the latest line and follow it'],
	['Left Right', 'scroll long lines sideways; w wraps them'],
	['/  n  N', 'search with a regex, next match, previous match'],
	['&', 'filter by a regex, ! excludes; Enter without text removes the last filter'],
	['h', 'highlight matches; Enter without text removes the last highlight'],
	['l', 'the minimum level'],
	['=', 'use this filter and level for all logs'],
	['p', 'lines as received; or JSON and logfmt with time, level and message first, and traces folded'],
	['t', 'arrival times: off, local, UTC, since the previous line'],
	['Enter', 'open or close the folded frames of a stack trace, or a line of JSON'],
	['m', 'mark one end of a range; the cursor is the other end'],
	['c', 'copy the range, or the line, to the clipboard'],
	['s', 'save the range, or all shown lines'],
	['a', 'attach the range, or the line, to the prompt'],
	['L', 'the transcript at the time of this line'],
	['Tab', 'the next log'],
	['q  Esc  Ctrl+G', 'close the log viewer'],
];

/** Returns the number of rows for lines in a window of that height. */
export function bodyRows(picture: Pick<LogPicture, 'logs' | 'viewer' | 'focus'>, rows: number): number {
	return Math.max(1, rows - headRows(picture.logs) - 1 - (hasConditions(picture) ? 1 : 0));
}

/** Draws the viewer: the title with the state, the lines, the filter, and the keys. */
export function drawLogScreen(picture: LogPicture, {columns, rows}: Size): readonly string[] {
	const {logs, viewer, viewport, focus, palette} = picture;
	const {scroll} = positionOf(viewer, focus);
	const paused = scroll && {came: Math.max(0, viewport.log.end() - scroll.since)};
	const head = [
		titleLine({...picture, hides: 0}, columns, paused, []),
		...(headRows(logs) > 1 ? [tabsLine(picture, columns)] : []),
	];
	const room = bodyRows(picture, rows);
	const page = viewer.help === undefined ? undefined : helpPage(viewer.help, {columns, rows: room}, palette);
	const body = page?.lines ?? bodyLines(picture, columns);
	return [
		...head,
		...Array.from({length: room}, (_, index) => body[index] ?? ''),
		...(hasConditions(picture) ? [truncate(palette.dim(conditions(picture)), columns)] : []),
		page ? truncate(palette.dim(page.keys), columns) : footer(picture, columns),
	].slice(0, rows);
}

/** Returns where the caret is while the input line is open. */
export function caretOf({viewer}: Pick<LogPicture, 'viewer'>, {columns, rows}: Size) {
	return viewer.field && {row: rows - 1, column: drawField(viewer.field, columns).column};
}

function headRows(logs: readonly OpenLog[]): number {
	return logs.length > 1 ? 2 : 1;
}

function bodyLines({viewport, viewer, focus, drawn, palette}: LogPicture, columns: number): readonly string[] {
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

function conditions({viewer, focus, viewport, isFiltering}: LogPicture): string {
	const {search, highlights} = viewer;
	const {patterns, minLevel} = filterOf(viewer, focus);
	const hidden = `${formatNumber(viewport.shown.hidden())}${isFiltering ? '…' : ''} hidden`;
	return [
		...(patterns.length > 0 ? [`filter ${patterns.map(safeLine).join(' & ')}`] : []),
		...(minLevel ? [`level>=${minLevel}`] : []),
		...(patterns.length > 0 || minLevel ? [hidden] : []),
		...(search ? [`search ${safeLine(search)}`] : []),
		...(highlights.length > 0 ? [`highlight ${highlights.map(safeLine).join(', ')}`] : []),
	].join(' · ');
}

function footer({viewer, notice, palette}: LogPicture, columns: number): string {
	if (viewer.field) {
		const line = labels[viewer.field.kind] + drawField(viewer.field, columns).text;
		return viewer.note ? truncate(`${line}  ${palette.warning(safeLine(viewer.note))}`, columns) : line;
	}

	const text = safeLine(viewer.note || notice);
	return truncate(text ? palette.label(text) : palette.dim(keysLine), columns);
}

const labels = {search: 'Search: ', filter: 'Filter: ', highlight: 'Highlight: ', save: 'Save as: '} as const;

/** Draws the input line after its label. */
function drawField({kind, composer}: NonNullable<LogViewer['field']>, columns: number) {
	return drawLine(labels[kind], composer, columns);
}

/** Returns one page of the help. Pages wrap around, so any number is valid. */
function helpPage(page: number, {columns, rows}: Size, palette: Palette) {
	const width = Math.max(...help.map(([keys]) => lineWidth(keys)));
	const lines = help.flatMap(([keys, meaning]) =>
		wrapLine(meaning, columns, {
			first: `  ${palette.label(padEnd(keys, width))}  `,
			rest: ' '.repeat(width + 4),
		}),
	);
	const pages = Math.ceil(lines.length / rows);
	const index = ((page % pages) + pages) % pages;
	const more = pages > 1 ? `page ${index + 1} of ${pages} · Space next · ` : '';
	return {lines: lines.slice(index * rows, (index + 1) * rows), keys: `${more}q close`};
}
