import type {StyledText, StyleRange} from '../../../core/output/text-styles.ts';
import {applySgr, codesOf, plain, type SpanStyle} from '../../../terminal/text/sgr.ts';
import {escapes, maxPerLine, sgrParameters} from './styled-output.ts';

/** A row of the screen: each character with the parameters of its SGR sequence. */
type Row = {readonly characters: string[]; readonly codes: string[]};

/** The end of an output as a terminal shows it, in which programs write over what they wrote before. It changes. */
export type LineScreen = {
	/** The rows that are kept; the last one may just have begun. */
	rows: Row[];
	/** The number of the first row that is kept; the first one of the output has 0. */
	first: number;
	/** The index of the first row that programs can reach. */
	top: number;
	/** Where the cursor is. */
	row: number;
	column: number;
	/** True after CR or LF: a text at the beginning of a row replaces it, as most programs mean it. */
	isFresh: boolean;
	style: SpanStyle;
};

/** Rows that can be written over, as many as a window has, and those before them that are kept. */
const maxReach = 60;
export const maxKept = 2 * maxReach;
/** Most columns that the cursor is moved by: each one may become a blank. */
const maxColumn = 200;

const tokens = new RegExp(`${escapes.source}|[\\n\\r\\b]|[^\\u001B\\n\\r\\b]+|\\u001B`, 'gu');

/** BS, or a sequence that moves the cursor or erases other rows. */
const moving = /[\b]|\u001B\[[0-?]*[ -/]*[A-HJSTXf]/;

/** CR that ends no line, or a sequence that erases a part of its row. */
const redrawing = /\r(?!\r*\n)|\u001B\[[0-?]*[ -/]*K/;

/** Creates the screen of an output, with the style in effect before it. */
export function createLineScreen(style = plain): LineScreen {
	return {rows: [emptyRow()], first: 0, top: 0, row: 0, column: 0, isFresh: true, style};
}

/** Returns a screen that changes by itself. */
export function copyScreen(screen: LineScreen): LineScreen {
	return {
		...screen,
		rows: screen.rows.map(({characters, codes}) => ({characters: [...characters], codes: [...codes]})),
	};
}

/**
 * Writes what a program sent, in which no sequence is cut. Knows CR, LF, BS, colours, the cursor's movements by rows and
 * columns, and erasing from the cursor (ECMA-48, 8.3); ignores all other sequences. NUL characters become visible.
 */
export function writeOn(screen: LineScreen, raw: string): void {
	for (const [token, parameters = '', final] of raw.matchAll(tokens)) {
		if (final !== undefined) {
			control(screen, {token, parameters, final});
		} else if (token === '\n') {
			screen.row++;
			rowOf(screen);
			screen.column = 0;
			screen.isFresh = true;
		} else if (token === '\r') {
			screen.column = 0;
			screen.isFresh = true;
		} else if (token === '\b') {
			moveTo(screen, screen.row, screen.column - 1);
		} else if (token === '\u001B' || !token.startsWith('\u001B')) {
			print(screen, token);
		}
	}
}

/** Returns the rows that are kept, without the one that has just begun. */
export function rowsOn({rows, row}: LineScreen): readonly StyledText[] {
	let end = rows.length;
	while (end > row && rows[end - 1]?.characters.length === 0) {
		end--;
	}

	return rows.slice(0, end).map(styledRow);
}

/** True if what comes next begins a new row at the end. */
export function isAtEnd(screen: LineScreen): boolean {
	const {isFresh, column, row, rows} = screen;
	return isFresh && column === 0 && row === rows.length - 1 && rowOf(screen).characters.length === 0;
}

/** Forgets old rows, and lets programs reach only the last ones of the others. */
export function trimScreen(screen: LineScreen): void {
	const dropped = Math.max(0, Math.min(screen.row, screen.rows.length - maxKept));
	screen.rows = screen.rows.slice(dropped);
	screen.first += dropped;
	screen.row -= dropped;
	screen.top = Math.max(0, screen.rows.length - maxReach);
}

/** Returns the row of the cursor, which may be a new one. */
function rowOf({rows, row}: LineScreen): Row {
	for (let index = rows.length; index <= row; index++) {
		rows.push(emptyRow());
	}

	return rows[row] ?? emptyRow();
}

/** Erases the row of the cursor from a column on. */
export function cutRow(screen: LineScreen, column: number): void {
	const {characters, codes} = rowOf(screen);
	characters.length = codes.length = Math.min(column, characters.length);
}

function print(screen: LineScreen, text: string): void {
	if (screen.isFresh && screen.column === 0) {
		cutRow(screen, 0);
	}

	screen.isFresh = false;
	const {characters, codes} = rowOf(screen);
	while (characters.length < screen.column) {
		characters.push(' ');
		codes.push('');
	}

	const code = codesOf(screen.style);
	for (const character of text) {
		characters[screen.column] = character === '\0' ? '␀' : character;
		codes[screen.column] = code;
		screen.column++;
	}
}

function moveTo(screen: LineScreen, row: number, column: number, isFresh = false): void {
	screen.row = Math.max(Math.min(screen.top, screen.row), Math.min(row, screen.rows.length - 1));
	screen.column = Math.max(0, Math.min(column, Math.max(maxColumn, rowOf(screen).characters.length)));
	screen.isFresh = isFresh;
}

type Control = {readonly token: string; readonly parameters: string; readonly final: string};

/** Follows a control sequence. */
function control(screen: LineScreen, {token, parameters, final}: Control): void {
	const sgr = sgrParameters(token, parameters, final);
	if (sgr !== undefined) {
		screen.style = applySgr(screen.style, sgr);
	} else if (/^\d*$/.test(parameters)) {
		const {row, column, isFresh} = screen;
		const count = Math.max(1, Number(parameters));
		const moves: Readonly<Record<string, () => void>> = {
			A: () => moveTo(screen, row - count, column, isFresh),
			B: () => moveTo(screen, row + count, column, isFresh),
			C: () => moveTo(screen, row, column + count),
			D: () => moveTo(screen, row, column - count),
			E: () => moveTo(screen, row + count, 0, true),
			F: () => moveTo(screen, row - count, 0, true),
			G: () => moveTo(screen, row, count - 1, count === 1),
			J: () => eraseBelow(screen, parameters),
			K: () => eraseInRow(screen, Number(parameters)),
		};
		moves[final]?.();
	}
}

/** Erases from the cursor to the end. */
function eraseBelow(screen: LineScreen, what: string): void {
	if (Number(what) === 0) {
		cutRow(screen, screen.column);
		screen.rows.length = screen.row + 1;
	}
}

function eraseInRow(screen: LineScreen, what: number): void {
	if (what === 0 || what === 2) {
		cutRow(screen, what === 0 ? screen.column : 0);
	} else if (what === 1) {
		const {characters, codes} = rowOf(screen);
		const end = Math.min(screen.column + 1, characters.length);
		characters.fill(' ', 0, end);
		codes.fill('', 0, end);
	}
}

/** Returns a whole output as a terminal would finally show it, also if the cursor was moved. */
export function screenOutput(raw: string): StyledText {
	const screen = createLineScreen();
	writeOn(screen, raw);
	return joinRows(rowsOn(screen));
}

/** True for output that may change rows or characters before it, other than by CR. */
export function movesCursor(raw: string): boolean {
	return moving.test(raw);
}

/** True for output that leaves as it is what it has written. */
export function onlyAdds(raw: string): boolean {
	return !moving.test(raw) && !redrawing.test(raw);
}

/** Joins rows to a text. */
export function joinRows(rows: readonly StyledText[]): StyledText {
	let at = 0;
	const styles: StyleRange[] = [];
	for (const row of rows) {
		styles.push(...row.styles.map(({start: from, end, codes}) => ({start: at + from, end: at + end, codes})));
		at += row.text.length + 1;
	}

	return {text: rows.map(({text}) => text).join('\n'), styles};
}

function emptyRow(): Row {
	return {characters: [], codes: []};
}

function styledRow({characters, codes}: Row): StyledText {
	const styles: StyleRange[] = [];
	let at = 0;
	for (const [index, character] of characters.entries()) {
		const end = at + character.length;
		const last = styles.at(-1);
		const code = codes[index] ?? '';
		if (code && last?.end === at && last.codes === code) {
			styles[styles.length - 1] = {...last, end};
		} else if (code && styles.length < maxPerLine) {
			styles.push({start: at, end, codes: code});
		}

		at = end;
	}

	return {text: characters.join(''), styles};
}
