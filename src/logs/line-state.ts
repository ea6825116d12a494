import {applySgr, codesOf, plain} from '../terminal/text/sgr.ts';
import {graphemesOf, graphemeWidth} from '../terminal/text/width.ts';

/** A cell of a row; the second cell of a wide character has the text ''. */
type Cell = {readonly text: string; readonly codes: string};

/** What a terminal holds after a part of a line. Rows are numbered from where the line began; programs may go above it. */
type Screen = {
	readonly rows: Map<number, Cell[]>;
	row: number;
	column: number;
	codes: string;
	saved: {readonly row: number; readonly column: number};
	/** The cells that sequences may still move or erase. */
	work: number;
	/** What takes no cell, and is shown with the next one. */
	unplaced: string;
};

const blank: Cell = {text: ' ', codes: ''};

/**
 * CR that does not end the line, BS, or a sequence that moves the cursor from where it is or erases what is near it (ECMA-48,
 * 8.3). Those that clear a whole screen or address it belong to no line, and stay visible.
 */
const redraws = /\r(?=[^\r])|\u0008|\u001B\[(?:\d*[A-GKPX@`]|0?J)/;

/**
 * Such sequences, a place that is saved and gone back to, SGR, what changes no text, such as a hidden cursor and sets of
 * characters, and OSC, such as links and titles, which takes no cell; then any other text.
 */
const tokens =
	/\u001B\[(\d*(?=[A-GKPX@`])|0?(?=J)|[0-9;:]{0,64}(?=m)|\?\d*(?=[hl])|(?=[su]))([A-GJKPX@`mhlsu])|\u001B(?:[78=>]|[()][\dAB]|\][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\))|[\r\u0008\t]|[^\u001B\r\u0008\t]+|\u001B/g;

/** Of a longer line only the end is drawn, from a CR on; of a very long one what follows the last CR. In UTF-16 units. */
const longestRedrawn = 256 * 1024;
/** The cursor isn't moved further, in cells and in rows. */
const maxColumn = 4096;
const maxRows = 500;
/** A line whose sequences move or erase more cells is drawn from its last CR on. */
const maxWork = 8_000_000;
const tabStop = 8;

/** Parts that a program keeps on rows of their own, such as the layers of `docker pull`, on one line. */
const betweenRows = ' · ';

/**
 * Returns what a terminal of any width shows of a line in the end: progress bars write over what they wrote before, with
 * CR, BS and sequences that move the cursor or erase. SGR sequences stay, as do all sequences that it doesn't know. A line
 * that isn't redrawn is returned as it is, without the CR at its end.
 */
export function lastState(line: string): string {
	if (!redraws.test(line)) {
		return withoutCrs(line);
	}

	const end = endOf(line);
	const fromLastCr = () => {
		const text = withoutCrs(end);
		return text.slice(text.lastIndexOf('\r') + 1);
	};
	if (end.length > 2 * longestRedrawn) {
		return fromLastCr();
	}

	const screen: Screen = {
		rows: new Map(),
		row: 0,
		column: 0,
		codes: '',
		saved: {row: 0, column: 0},
		work: maxWork,
		unplaced: '',
	};
	let style = plain;
	for (const [token, parameters = '', final] of end.matchAll(tokens)) {
		if (final === 'm') {
			style = applySgr(style, parameters);
			screen.codes = codesOf(style);
		} else if (final !== undefined || token === '\u001B7' || token === '\u001B8') {
			move(screen, parameters, final ?? token);
			if (screen.work < 0) {
				return fromLastCr();
			}
		} else if (token.length > 1 && token.startsWith('\u001B')) {
			screen.unplaced += token[1] === ']' ? token : '';
		} else if (token === '\r') {
			screen.column = 0;
		} else if (token === '\u0008') {
			screen.column = Math.max(0, screen.column - 1);
		} else if (token === '\t') {
			screen.column = Math.min(maxColumn, (Math.floor(screen.column / tabStop) + 1) * tabStop);
		} else {
			print(screen, token);
		}
	}

	if (screen.unplaced !== '') {
		print(screen, ' ');
	}

	const numbers = [...screen.rows.keys()].sort((one, other) => one - other);
	return numbers
		.map(number => drawRow(screen.rows.get(number) ?? []))
		.filter(row => row !== '')
		.join(betweenRows);
}

/** Returns true if a line has states before the last one. */
export function isRedrawn(line: string): boolean {
	return redraws.test(line);
}

/** Returns a line without the CRs at its end. */
function withoutCrs(line: string): string {
	let end = line.length;
	while (line[end - 1] === '\r') {
		end--;
	}

	return line.slice(0, end);
}

function endOf(line: string): string {
	return line.length > longestRedrawn
		? line.slice(Math.max(0, line.lastIndexOf('\r', line.length - longestRedrawn)))
		: line;
}

function rowOf({rows, row}: Screen): Cell[] {
	const cells = rows.get(row) ?? [];
	rows.set(row, cells);
	return cells;
}

function print(screen: Screen, text: string): void {
	const row = rowOf(screen);
	for (const character of graphemesOf(text)) {
		// A control character is drawn as a glyph.
		const isControl = character < ' ' || character === '\u007F';
		const cells = isControl ? 1 : graphemeWidth(character);
		const before = row[screen.column - 1];
		if (cells === 0 && before) {
			row[screen.column - 1] = {...before, text: before.text + character};
			continue;
		}

		const width = Math.max(1, cells);

		while (row.length < screen.column) {
			row.push(blank);
		}

		erase(row, screen.column, screen.column + width);
		for (let cell = 0; cell < width; cell++) {
			row[screen.column + cell] = {text: cell === 0 ? screen.unplaced + character : '', codes: screen.codes};
		}

		screen.unplaced = '';

		screen.column += width;
	}
}

/** Blanks cells, and the other half of a wide character that loses one. */
function erase(row: Cell[], from: number, to: number): void {
	const first = row[from]?.text === '' ? from - 1 : from;
	const last = row[to]?.text === '' ? to + 1 : to;
	row.fill(blank, Math.max(0, first), Math.min(last, row.length));
}

function move(screen: Screen, parameters: string, final: string): void {
	const count = Math.max(1, Number(parameters) || 0);
	const row = rowOf(screen);
	screen.work -= 'KPX@J'.includes(final) ? row.length + (final === 'J' ? screen.rows.size : 0) : 0;
	const toColumn = (column: number) => {
		screen.column = Math.max(0, Math.min(maxColumn, column));
	};
	const toRow = (number: number) => {
		screen.row = Math.max(-maxRows, Math.min(maxRows, number));
	};
	const save = () => {
		screen.saved = {row: screen.row, column: screen.column};
	};
	const goBack = () => {
		[screen.row, screen.column] = [screen.saved.row, screen.saved.column];
	};
	const actions: Readonly<Record<string, () => void>> = {
		'\u001B7': save,
		s: save,
		'\u001B8': goBack,
		u: goBack,
		A: () => toRow(screen.row - count),
		B: () => toRow(screen.row + count),
		C: () => toColumn(screen.column + count),
		D: () => toColumn(screen.column - count),
		E: () => {
			toRow(screen.row + count);
			toColumn(0);
		},
		F: () => {
			toRow(screen.row - count);
			toColumn(0);
		},
		G: () => toColumn(count - 1),
		'`': () => toColumn(count - 1),
		J: () => eraseBelow(screen),
		K: () => eraseRow(row, screen.column, Number(parameters)),
		P: () => {
			erase(row, screen.column, screen.column + count);
			row.splice(screen.column, count);
		},
		X: () => erase(row, screen.column, screen.column + count),
		'@': () => {
			erase(row, screen.column, screen.column);
			row.splice(screen.column, 0, ...Array.from({length: Math.min(count, maxColumn)}, () => blank));
		},
	};
	actions[final]?.();
}

function eraseRow(row: Cell[], column: number, what: number): void {
	if (what === 0 || what === 2) {
		const from = what === 0 ? column : 0;
		erase(row, from, row.length);
		row.length = Math.min(row.length, from);
	} else if (what === 1) {
		erase(row, 0, Math.min(column + 1, row.length));
	}
}

function eraseBelow(screen: Screen): void {
	eraseRow(rowOf(screen), screen.column, 0);
	for (const number of [...screen.rows.keys()]) {
		if (number > screen.row) {
			screen.rows.delete(number);
		}
	}
}

/** Returns a row with its styles as SGR sequences, without the blanks at its end. */
function drawRow(cells: readonly Cell[]): string {
	const end = cells.findLastIndex(({text, codes}) => text.trim() !== '' || codes !== '') + 1;
	let drawn = '';
	let codes = '';
	for (const cell of cells.slice(0, end)) {
		if (cell.codes !== codes && cell.text !== '') {
			drawn += `\u001B[${cell.codes === '' || codes === '' ? cell.codes : `0;${cell.codes}`}m`;
			({codes} = cell);
		}

		drawn += cell.text;
	}

	return codes === '' ? drawn.trimEnd() : `${drawn}\u001B[m`;
}
