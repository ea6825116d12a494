import {textWidth} from '../../../terminal/text/width.ts';
import {isMarked} from './frame-mark.ts';
import {endRowBefore, ownRow, type Row, type ShownRows} from './shown-rows.ts';

const blank: Row = {cells: 0, isWrapped: false, source: ownRow, isMarked: false};

/** The source of rows above all lines that are known. */
const unknownRow = -1;

const parts =
	/\u001B\[([?;\d]*)(\+?[@-~])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\r\n\b]|[^\u001B\r\n\b]+|\u001B/g;

/**
 * Does to the rows what the bytes of a frame do in a terminal. `joins` is true if the terminal joins a row that is written
 * again with the row before it, if that continued in the old one.
 */
export function applyFrame(shown: ShownRows, data: string, joins: boolean): void {
	for (const [part, list = '', final = ''] of data.matchAll(parts)) {
		const count = Math.max(1, Number.parseInt(list, 10) || 0);
		if (final !== '') {
			controls[final]?.(shown, {list, count, joins});
		} else if (part === '\r') {
			shown.x = 0;
		} else if (part === '\n') {
			lineFeed(shown, joins ? undefined : false);
		} else if (part === '\b') {
			shown.x = Math.max(0, Math.min(shown.x, shown.columns) - 1);
		} else if (isMarked(part)) {
			shown.rows[shown.y] = {...touch(shown), isMarked: true};
		} else if (!part.startsWith('\u001B')) {
			writeText(shown, textWidth(part));
		}
	}
}

type Parameters = {readonly list: string; readonly count: number; readonly joins: boolean};

const controls: Readonly<Record<string, (shown: ShownRows, parameters: Parameters) => void>> = {
	A(shown, {count}) {
		shown.y = Math.max(shown.top ?? 0, shown.y - count, 0);
	},
	B(shown, {count}) {
		shown.y = Math.min(bottomOf(shown), shown.y + count);
	},
	C(shown, {count}) {
		shown.x = Math.min(shown.columns - 1, shown.x + count);
	},
	G(shown, {count}) {
		shown.x = Math.min(shown.columns, count) - 1;
	},
	h: (shown, {list}) => setWrap(shown, list, true),
	l: (shown, {list}) => setWrap(shown, list, false),
	K(shown, {list, joins}) {
		shown.x = list === '2' ? shown.x : Math.min(shown.x, shown.columns - 1);
		erase(shown, list === '2' ? 0 : shown.x, joins);
	},
	J(shown, {joins}) {
		erase(shown, shown.x, joins);
		const below = shown.keepsBreaks ? shown.rows.slice(shown.y + 1) : [];
		shown.rows.splice(shown.y + 1, Number.POSITIVE_INFINITY, ...below.map(row => erased(shown, row, 0)));
	},
	L(shown, {count}) {
		touch(shown);
		endBeforeMoved(shown);
		shown.rows.splice(shown.y, 0, ...Array.from({length: count}, () => blank));
		shown.rows.length = Math.min(shown.rows.length, bottomOf(shown) + 1);
	},
	M(shown, {count}) {
		endBeforeMoved(shown);
		for (let index = 0; index < count; index++) {
			touch(shown);
			shown.rows.splice(shown.y, 1);
		}
	},
	'+T': (shown, {count}) => pullRows(shown, count),
};

/** Moves rows of the scrollback down into the window; the last ones of the window are gone then. */
function pullRows(shown: ShownRows, count: number): void {
	const missing = Math.max(0, count - (shown.top ?? 0));
	shown.rows.unshift(...Array.from({length: missing}, () => ({...blank, source: unknownRow})));
	shown.top = (shown.top ?? 0) + missing - count;
	shown.y += missing - count;
	const [gone] = shown.rows.splice(bottomOf(shown) + 1);
	shown.touched = Math.min(shown.touched, gone?.source ?? ownRow);
}

function setWrap(shown: ShownRows, list: string, wraps: boolean): void {
	shown.wraps = list === '?7' ? wraps : shown.wraps;
}

function bottomOf({top, height}: ShownRows): number {
	return top === undefined ? Number.POSITIVE_INFINITY : top + height - 1;
}

/** Returns the cursor's row, noted as written to. */
function touch(shown: ShownRows): Row {
	while (shown.rows.length <= shown.y) {
		shown.rows.push(blank);
	}

	const row = shown.rows[shown.y] ?? blank;
	shown.touched = Math.min(shown.touched, row.source);
	return row;
}

function erase(shown: ShownRows, from: number, joins: boolean): void {
	const row = touch(shown);
	shown.rows[shown.y] = erased(shown, row, from);
	if (from === 0 && !joins) {
		endRowBefore(shown);
	}
}

function erased({keepsBreaks, columns}: ShownRows, row: Row, from: number): Row {
	const isWrapped = keepsBreaks && row.isWrapped;
	return {...row, cells: isWrapped ? columns : Math.min(row.cells, from), isWrapped, source: ownRow};
}

/** Lets the row before inserted or deleted ones continue in no other, as most terminals do. */
function endBeforeMoved(shown: ShownRows): void {
	if (!shown.keepsBreaks) {
		endRowBefore(shown);
	}
}

function lineFeed(shown: ShownRows, isWrapped: boolean | undefined): void {
	const row = touch(shown);
	shown.rows[shown.y] = {...row, isWrapped: isWrapped ?? row.isWrapped};
	if (shown.top !== undefined && shown.y >= bottomOf(shown)) {
		shown.top++;
	}

	shown.y++;
	touch(shown);
}

function writeText(shown: ShownRows, width: number): void {
	let left = width;
	while (shown.wraps && shown.x + left > shown.columns) {
		const written = shown.columns - shown.x;
		write(shown, written);
		left -= written;
		lineFeed(shown, true);
		shown.x = 0;
	}

	write(shown, left);
}

function write(shown: ShownRows, width: number): void {
	const row = touch(shown);
	shown.x = Math.min(shown.columns, shown.x + width);
	shown.rows[shown.y] = {...row, cells: Math.max(row.cells, shown.x), source: ownRow};
}
