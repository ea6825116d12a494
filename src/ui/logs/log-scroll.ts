import type {LogEntries} from './merged-log.ts';
import type {ShownLines} from './shown-lines.ts';

/** Where the user reads. It holds places, not row numbers, so a line stays where it is when others come or go. */
export type ScrollPosition = {
	/** The place of the line that keys apply to. */
	readonly cursor: number;
	/** The place of the line at the upper edge. */
	readonly top: number;
	/** How many of its rows are above that edge. */
	readonly row: number;
	/** The end of the log when scrolling started; later lines are counted. */
	readonly since: number;
};

/** The part of a log that is on the screen. */
export type Viewport = {
	readonly log: LogEntries;
	readonly shown: ShownLines;
	/** Number of rows for lines. */
	readonly rows: number;
	/** Returns the number of rows of a line. */
	readonly heightOf: (place: number) => number;
};

type Edge = Pick<ScrollPosition, 'top' | 'row'>;

/** Returns the position with the end of the log at the lower edge; undefined if no line is shown. */
export function scrollAtEnd(viewport: Viewport): ScrollPosition | undefined {
	const {log, shown} = viewport;
	const last = shown.placeAt(shown.count() - 1);
	return last === undefined ? undefined : {cursor: last, ...edgeAtEnd(viewport, last), since: log.end()};
}

/** Moves the cursor to that line, or the next one that is shown, and scrolls as little as possible. */
export function readAt(viewport: Viewport, scroll: ScrollPosition, place: number): ScrollPosition {
	const {shown, rows, heightOf} = viewport;
	const cursor = snapped(shown, place);
	const top = snapped(shown, scroll.top);
	const last = shown.placeAt(shown.count() - 1) ?? cursor;
	const atEnd = edgeAtEnd(viewport, last);
	const before: Edge = {top, row: top === scroll.top ? Math.min(scroll.row, heightOf(top) - 1) : 0};
	// A filter may leave less below than there is room for.
	const edge = isBefore(atEnd, before) ? atEnd : before;
	const height = heightOf(cursor);
	const highest: Edge = {top: cursor, row: 0};
	const lowest = height > rows ? highest : back(viewport, {top: cursor, row: height - 1}, rows - 1);
	const kept = cursor === edge.top && height > rows ? edge : isBefore(highest, edge) ? highest : edge;
	return {...scroll, cursor, ...(isBefore(kept, lowest) ? lowest : kept)};
}

/** Moves the cursor to a line, with some context if the line was not on the screen. */
export function jumpTo(viewport: Viewport, scroll: ScrollPosition, place: number): ScrollPosition {
	const moved = readAt(viewport, scroll, place);
	const isNear = moved.top === scroll.top && moved.row === scroll.row;
	return isNear ? moved : {...moved, ...back(viewport, {top: moved.cursor, row: 0}, Math.floor(viewport.rows / 3))};
}

/** Moves the cursor by lines; within a line that is taller than the screen, by rows. */
export function moveBy(viewport: Viewport, scroll: ScrollPosition, lines: number): ScrollPosition {
	const {shown, rows, heightOf} = viewport;
	const {cursor, top, row} = readAt(viewport, scroll, scroll.cursor);
	const isTall = cursor === top && heightOf(cursor) > rows;
	if (isTall && lines < 0 && row > 0) {
		return {...scroll, cursor, top, row: row - 1};
	}

	if (isTall && lines > 0 && heightOf(cursor) - row > rows) {
		return {...scroll, cursor, top, row: row + 1};
	}

	const index = Math.max(0, Math.min(shown.count() - 1, shown.indexOf(cursor) + lines));
	return readAt(viewport, {...scroll, top, row}, shown.placeAt(index) ?? cursor);
}

/** Moves by pages that share one row. */
export function pageBy(viewport: Viewport, scroll: ScrollPosition, pages: 1 | -1): ScrollPosition {
	const {shown, rows} = viewport;
	const {cursor, top, row} = readAt(viewport, scroll, scroll.cursor);
	const step = Math.max(1, rows - 1);
	const edge = pages > 0 ? ahead(viewport, {top, row}, step) : back(viewport, {top, row}, step);
	if (edge.top === top && edge.row === row) {
		const outermost = shown.placeAt(pages > 0 ? shown.count() - 1 : 0) ?? cursor;
		return readAt(viewport, {...scroll, top, row}, outermost);
	}

	return {...scroll, ...edge, cursor: edge.top};
}

/** Returns the rows of the screen: the place of the line, and which of its rows. */
export function visibleRows(viewport: Viewport, edge: Edge): readonly (readonly [place: number, row: number])[] {
	const {shown, rows, heightOf} = viewport;
	const visible: (readonly [number, number])[] = [];
	let {row} = edge;
	for (let index = shown.indexOf(edge.top); visible.length < rows; index++) {
		const place = shown.placeAt(index);
		if (place === undefined) {
			break;
		}

		for (; row < heightOf(place) && visible.length < rows; row++) {
			visible.push([place, row]);
		}

		row = 0;
	}

	return visible;
}

function snapped(shown: ShownLines, place: number): number {
	return shown.placeAt(Math.min(shown.indexOf(place), shown.count() - 1)) ?? place;
}

function edgeAtEnd(viewport: Viewport, last: number): Edge {
	return back(viewport, {top: last, row: viewport.heightOf(last) - 1}, viewport.rows - 1);
}

/** Returns the edge so many rows further up, at most the first row. */
function back({shown, heightOf}: Viewport, {top, row}: Edge, rows: number): Edge {
	let index = shown.indexOf(top);
	let at = row - rows;
	let place = top;
	while (at < 0 && index > 0) {
		index--;
		place = shown.placeAt(index) ?? place;
		at += heightOf(place);
	}

	return {top: place, row: Math.max(0, at)};
}

/** Returns the edge so many rows further down, at most until the end is at the lower edge. */
function ahead(viewport: Viewport, {top, row}: Edge, rows: number): Edge {
	const {shown, heightOf} = viewport;
	let index = shown.indexOf(top);
	let at = row + rows;
	let place = top;
	while (at >= heightOf(place) && index < shown.count() - 1) {
		at -= heightOf(place);
		index++;
		place = shown.placeAt(index) ?? place;
	}

	const edge = {top: place, row: Math.min(at, heightOf(place) - 1)};
	const last = shown.placeAt(shown.count() - 1);
	const lowest = last === undefined ? edge : edgeAtEnd(viewport, last);
	const before = {top, row};
	return isBefore(lowest, edge) ? (isBefore(lowest, before) ? before : lowest) : edge;
}

function isBefore(one: Edge, other: Edge): boolean {
	return one.top < other.top || (one.top === other.top && one.row < other.row);
}
