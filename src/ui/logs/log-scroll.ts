import type {LogEntries} from './merged-log.ts';
import type {ShownLines} from './shown-lines.ts';

/** Where a person reads. Places, not row numbers: whatever comes or goes, the same line stays where it is. */
export type ScrollPosition = {
	/** The place of the line that keys are about. */
	readonly cursor: number;
	/** The place of the line at the upper edge, and how many of its rows are above that edge. */
	readonly top: number;
	readonly row: number;
	/** The end of the log when the reading began: what came since is counted. */
	readonly since: number;
};

/** A log as it is shown. */
export type Viewport = {
	readonly log: LogEntries;
	readonly shown: ShownLines;
	/** Rows for lines. */
	readonly rows: number;
	/** Rows that a line takes. */
	readonly heightOf: (place: number) => number;
};

type Edge = Pick<ScrollPosition, 'top' | 'row'>;

/** The end of the log at the lower edge; undefined where nothing is shown. */
export function scrollAtEnd(viewport: Viewport): ScrollPosition | undefined {
	const {log, shown} = viewport;
	const last = shown.placeAt(shown.count() - 1);
	return last === undefined ? undefined : {cursor: last, ...edgeAtEnd(viewport, last), since: log.end()};
}

/** A reading with its cursor at that line or the next one that is shown, on the screen, and as little moved as can be. */
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

/** The same with some context around a line that was not on the screen. */
export function jumpTo(viewport: Viewport, scroll: ScrollPosition, place: number): ScrollPosition {
	const moved = readAt(viewport, scroll, place);
	const isNear = moved.top === scroll.top && moved.row === scroll.row;
	return isNear ? moved : {...moved, ...back(viewport, {top: moved.cursor, row: 0}, Math.floor(viewport.rows / 3))};
}

/** Moves the cursor by lines; through one that is taller than the screen row by row. */
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

/** Moves by screens, with one row in common. */
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

/** The rows of the screen: the place of the line, and which of its rows. */
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

/** So many rows further up, at most to the first one. */
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

/** So many rows further down, at most until the end is at the lower edge. */
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
