import {cellWidths} from '../../terminal/text/cell-widths.ts';
import {continues} from '../../terminal/text/wrap.ts';
import {createPen, eraseDown, type Pen} from './pen.ts';
import {deleteDown, isMarked, replaceMarked, unmarked, withMark} from './resize/frame-mark.ts';

/** A cell of the live region, from its top left. */
export type Caret = {readonly row: number; readonly column: number};

/** The rows at the lower end of the screen, drawn again when they change. */
export type Frame = {
	/** Finished ANSI lines, none wider than the window. */
	readonly rows: readonly string[];
	/** The cell of the terminal's cursor; undefined hides it. */
	readonly caret: Caret | undefined;
};

/** What is drawn over rows that were left for it, as late as it can be: only once for all that one turn brought. */
export type Prompt = {
	/** The first of its rows below the live lines. */
	readonly row: number;
	/** True if the cursor is at its caret. */
	readonly focused: boolean;
	readonly draw: () => Frame;
};

/** The frame that the terminal shows, the row of its cursor, and whether the cursor is visible. */
export type Drawn = Frame & {readonly at: number; readonly isCursorShown: boolean};

/** The state before the first frame: the cursor is where it will begin. */
export const nothingDrawn: Drawn = {rows: [], caret: undefined, at: 0, isCursorShown: true};

export type Redrawing = {
	/** The rows of the window. */
	readonly height: number;
	/** True if the terminal inserts and deletes lines. */
	readonly insertsLines: boolean;
	/** True to mark the first row of the frame. */
	readonly marks: boolean;
};

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';

/**
 * Returns the bytes that replace the frame on the terminal by the next one below `printed`, lines that go to the
 * scrollback, and what the terminal shows after that. Unchanged rows aren't written: lines are inserted above them, if the
 * terminal inserts lines. The cursor moves only relatively, so nothing above the region is ever touched.
 */
export function redraw(
	before: Drawn,
	printed: readonly string[],
	next: Frame,
	{height, insertsLines, marks}: Redrawing,
): {readonly data: string; readonly drawn: Drawn} {
	const inWindow = fitted(next, height);
	const frame = marks ? {...inWindow, rows: withMark(inWindow.rows)} : inWindow;
	const old = before.rows;
	const rows = [...printed, ...frame.rows];
	const same = commonStart(old, rows);
	const pen = createPen(before.at);
	if (old.length === 0 || rows.length > height || (!insertsLines && rows.length !== old.length)) {
		writeFrom(pen, old, rows, same);
	} else {
		// A row that another one continues in is written right after it.
		const tail = Math.min(commonEnd(old, rows, same), rows.length - lastContinued(printed));
		writeChanges(pen, old, rows, tail);
	}

	const isChanged = pen.out() !== '';
	const caret = frame.caret && {row: printed.length + frame.caret.row, column: frame.caret.column};
	const isPlaced = !isChanged && caret?.row === before.at && caret.column === before.caret?.column;
	if (caret && !isPlaced) {
		pen.goTo(caret.row);
		pen.write(`\u001B[${caret.column + 1}G`);
	} else if (!caret && isChanged) {
		// Below it a terminal would lose rows, or wrap them and move it, when the window is resized.
		pen.goTo(rows.length - 1);
	}

	// Within its row the cursor may move on screen: it does so while a user types.
	const hide = before.isCursorShown && (!caret || (isChanged && (old.length === 0 || pen.hasLeft()))) ? hideCursor : '';
	const show = caret && (hide || !before.isCursorShown) ? showCursor : '';
	return {
		data: hide + pen.out() + show,
		drawn: {...frame, at: pen.row() - printed.length, isCursorShown: caret !== undefined},
	};
}

/** Lets the terminal break a row, which it doesn't do otherwise, so that a width that we don't know can't. */
const wrapOn = '\u001B[?7h';
/**
 * Breaks a row: behind a full one, a space goes to the next row, where the cursor moves back before it. That row is blank
 * then, whatever the colours are.
 */
const softBreak = ' \b\u001B[?7l';

function softRow(row: string): string {
	return row.endsWith(continues) ? wrapOn + row : row;
}

/** Returns rows with line ends between them, and soft breaks where a row continues. */
function joined(rows: readonly string[]): string {
	return rows
		.map((row, index) => (index === 0 ? '' : isContinued(rows, index) ? softBreak : '\r\n') + softRow(row))
		.join('');
}

/** True for a row that the one before continues in. */
function isContinued(rows: readonly string[], index: number): boolean {
	return rows[index - 1]?.endsWith(continues) ?? false;
}

/** Returns the number of rows up to the last one that another row continues in; 0 for none. */
function lastContinued(rows: readonly string[]): number {
	const last = rows.findLastIndex(row => row.endsWith(continues));
	return last === -1 ? 0 : last + 2;
}

/** Returns the last rows of a frame that is taller than the window, and one blank row for an empty frame. */
function fitted(frame: Frame, height: number): Frame {
	if (frame.rows.length === 0) {
		return {...frame, rows: ['']};
	}

	const above = frame.rows.length - height;
	const {caret} = frame;
	return above <= 0
		? frame
		: {
				rows: frame.rows.slice(above),
				caret: caret && caret.row >= above ? {...caret, row: caret.row - above} : undefined,
			};
}

function commonStart(old: readonly string[], rows: readonly string[]): number {
	const max = Math.min(old.length, rows.length);
	let same = 0;
	while (same < max && old[same] === rows[same]) {
		same++;
	}

	return same;
}

function commonEnd(old: readonly string[], rows: readonly string[], start: number): number {
	const max = Math.min(old.length, rows.length) - start;
	let same = 0;
	while (same < max && old[old.length - 1 - same] === rows[rows.length - 1 - same]) {
		same++;
	}

	return same;
}

/** Writes all rows after the unchanged ones at the start. */
function writeFrom(pen: Pen, old: readonly string[], rows: readonly string[], same: number): void {
	const below = rows.slice(same);
	if (same > 0 && same === old.length) {
		pen.goTo(same - 1);
		pen.write(below.length > 0 ? '\r\n' : '', below.length > 0 ? 1 : 0);
	} else {
		pen.goTo(same);
	}

	const erase = same === 0 && isMarked(old[0]) ? deleteDown : eraseDown;
	pen.write(`${erase}${joined(below)}`, Math.max(0, below.length - 1));
}

/** Writes the rows that differ. Inserts or deletes rows above the last `tail` ones if their number changes. */
function writeChanges(pen: Pen, old: readonly string[], rows: readonly string[], tail: number): void {
	const more = rows.length - old.length;
	if (more > 0) {
		// Only a newline scrolls the window; the rows above go to the scrollback.
		pen.goTo(old.length - 1);
		pen.write('\n'.repeat(more), more);
		if (tail > 0) {
			pen.goTo(old.length - tail);
			pen.write(`\u001B[${more}L`);
		}
	} else if (more < 0) {
		pen.goTo(rows.length - tail);
		pen.write(tail > 0 ? `\u001B[${-more}M` : eraseDown);
	}

	const known = Math.min(old.length, rows.length) - tail;
	const isReplaced = known > 0 && isMarked(old[0]) && !isMarked(rows[0]);
	if (isReplaced) {
		pen.goTo(0);
		pen.write(replaceMarked);
	}

	for (let index = 0; index < rows.length - tail; index++) {
		const row = rows[index] ?? '';
		const shown = index < known && !(isReplaced && index === 0) ? (old[index] ?? '') : '';
		if (isContinued(rows, index)) {
			pen.write(softBreak + softRow(row), 1);
		} else if (row.endsWith(continues)) {
			eraseLine(pen, rows, index, known);
			pen.write(softRow(row));
		} else if (row !== shown) {
			pen.goTo(index);
			pen.write(markChange(shown, row));
		}
	}
}

/** Returns the bytes that turn a row into another one that may have the mark. */
function markChange(shown: string, row: string): string {
	if (!isMarked(row)) {
		return rowChange(shown, row);
	}

	const text = unmarked(row);
	const change = text === unmarked(shown) ? '' : rowChange(unmarked(shown), text);
	return change + (isMarked(shown) ? '' : row.slice(0, row.length - text.length));
}

/** Erases all rows of a line, and goes to its beginning: an erased row would be a line of its own. */
function eraseLine(pen: Pen, rows: readonly string[], from: number, known: number): void {
	const next = rows.findIndex((row, index) => index >= from && !row.endsWith(continues));
	for (let index = Math.min(next, known - 1); index >= from; index--) {
		pen.goTo(index);
		pen.write('\r\u001B[2K');
	}

	pen.goTo(from);
	pen.write('\r');
}

const sgr = /\u001B\[([0-9;:]*)m/y;
const escapeCode = 0x1b;
const promptSign = '❯'.charCodeAt(0);
const answerSign = '●'.charCodeAt(0);

/** A place in two rows up to which they are alike. */
type Place = {
	/** In UTF-16 units. */
	readonly at: number;
	readonly column: number;
	/** The styles in effect there, as the sequences that switch them on. */
	readonly styles: string;
};

/**
 * Returns the bytes that turn a row on the terminal into another, with the cursor anywhere in that row. Cells at the start
 * that stay are not written, if it is certain how many cells they take in any terminal.
 */
export function rowChange(shown: string, row: string): string {
	if (shown === '') {
		return `\r${row}`;
	}

	const {at, column, styles} = commonPlace(shown, row);
	if (column === 0) {
		// Erase first: after a row as wide as the window, some terminals would erase its last character.
		return `\r\u001B[2K${row}`;
	}

	const erase = isBlank(shown, at) ? '' : '\u001B[K';
	const rest = isBlank(row, at) ? '' : styles + row.slice(at);
	return `\u001B[${column + 1}G${erase}${rest}`;
}

function commonPlace(shown: string, row: string): Place {
	let place: Place = {at: 0, column: 0, styles: ''};
	let beforeLast = place;
	for (;;) {
		const {at, column, styles} = place;
		const code = shown.charCodeAt(at);
		if (code === escapeCode) {
			sgr.lastIndex = at;
			const [sequence = '', parameters = ''] = sgr.exec(shown) ?? [];
			if (sequence === '' || !row.startsWith(sequence, at)) {
				break;
			}

			const isReset = parameters === '' || parameters === '0';
			place = {at: at + sequence.length, column, styles: isReset ? '' : styles + sequence};
		} else if (isCertain(code) && code === row.charCodeAt(at)) {
			beforeLast = place;
			place = {at: at + 1, column: column + 1, styles};
		} else {
			break;
		}
	}

	// The next character may be a mark that belongs to the last one.
	return mayJoin(shown, place.at) || mayJoin(row, place.at) ? beforeLast : place;
}

/** Returns true for a character that takes one cell in every terminal, and for the sign of an answer if it does in this one. */
function isCertain(code: number): boolean {
	return (code >= 0x20 && code < 0x7f) || code === promptSign || (code === answerSign && cellWidths().ambiguous === 1);
}

function mayJoin(line: string, at: number): boolean {
	const code = line.charCodeAt(at);
	return at < line.length && code !== escapeCode && !isCertain(code);
}

/** Returns true if nothing but styles follows. */
function isBlank(line: string, at: number): boolean {
	return line.slice(at).replace(/\u001B\[[0-9;:]*m/g, '') === '';
}
