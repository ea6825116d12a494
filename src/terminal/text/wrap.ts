import {type Piece, paintPieces, parsePieces, plainText} from './ansi.ts';
import {graphemesOf, graphemeWidth, isSimple, lineWidth, textWidth} from './width.ts';

const tabStop = 4;

type WrapOptions = {
	/** Prefixes of the first and of all later lines (a hanging indent); they count in the width. */
	readonly first?: string;
	readonly rest?: string;
	/** Breaks at the width only and keeps every space, as for code. */
	readonly hard?: boolean;
};

/** The part of a text that becomes one line, in UTF-16 units. */
type Range = {readonly start: number; readonly end: number};

/**
 * Wraps text with our own colour and link sequences into lines of at most `width` cells (2 at least), at spaces, beside
 * wide characters, and within words that are too long. Breaks at LF, and expands TAB to the next 4th column. Styles
 * continue over breaks and are closed at the end of each line. Returns one empty line for empty text.
 */
export function wrapLine(line: string, width: number, options: WrapOptions = {}): readonly string[] {
	const {hard = false} = options;
	const limit = Math.max(2, width);
	const first = fitting(options.first ?? '', limit);
	const rest = fitting(options.rest ?? '', limit);
	const pieces = line.includes('\t') ? expandTabs(parsePieces(line)) : parsePieces(line);
	const text = pieces.length === 1 ? (pieces[0]?.text ?? '') : pieces.map(piece => piece.text).join('');
	const roomFirst = limit - lineWidth(first);
	const roomRest = limit - lineWidth(rest);
	const ranges = hard ? hardRanges(text, roomFirst, roomRest) : wordRanges(text, roomFirst, roomRest);
	return slices(pieces, ranges).map((content, index) => (index === 0 ? first : rest) + content);
}

/** Wraps lines of which only some may be too wide. The others stay as they are. */
export function wrapWide(lines: readonly string[], width: number): readonly string[] {
	return lines.flatMap(line => (lineWidth(line) > width ? wrapLine(line, width) : line));
}

/** Ends a row as wide as the window whose text continues in the next row: the terminal may break the line there by itself. */
export const continues = '\u001B[;m';

/**
 * Breaks text at the width only, and marks each row that a terminal breaks in the same place: it selects and copies such
 * rows as one line. Rows with text of uncertain width aren't marked.
 */
export function softWrap(line: string, width: number, options: WrapOptions = {}): readonly string[] {
	const rows = wrapLine(line, width, {...options, hard: true});
	const isFull = (row: string) => lineWidth(row) === width && isSimple(plainText(row));
	return rows.map((row, index) => (index < rows.length - 1 && isFull(row) ? row + continues : row));
}

/** Drops an indent that leaves no room for text. */
function fitting(indent: string, width: number): string {
	return width - lineWidth(indent) < 2 ? '' : indent;
}

function slices(pieces: readonly Piece[], ranges: readonly Range[]): readonly string[] {
	let index = 0;
	let offset = 0;
	return ranges.map(({start, end}) => {
		const parts: Piece[] = [];
		for (let piece = pieces[index]; piece && offset < end; piece = pieces[index]) {
			parts.push({...piece, text: piece.text.slice(Math.max(0, start - offset), end - offset)});
			if (offset + piece.text.length > end) {
				break;
			}

			offset += piece.text.length;
			index++;
		}

		return paintPieces(parts);
	});
}

/** Breaks at LF and at the width. */
function hardRanges(text: string, roomFirst: number, roomRest: number): readonly Range[] {
	const ranges: Range[] = [];
	let start = 0;
	for (const line of text.split('\n')) {
		let from = start;
		let used = 0;
		let at = start;
		for (const grapheme of fittingGraphemes(line, Math.min(roomFirst, roomRest))) {
			const cells = graphemeWidth(grapheme);
			if (used + cells > (ranges.length === 0 ? roomFirst : roomRest) && at > from) {
				ranges.push({start: from, end: at});
				from = at;
				used = 0;
			}

			used += cells;
			at += grapheme.length;
		}

		ranges.push({start: from, end: at});
		start += line.length + 1;
	}

	return ranges;
}

/** The lines so far, and the one that is being filled. Steps change it in place, since they run for each word. */
type Filling = {
	readonly ranges: Range[];
	readonly roomRest: number;
	/** Cells of the line that is being filled. */
	room: number;
	from: number;
	end: number;
	/** Cells of the line so far. */
	used: number;
	/** Cells of the spaces between the line so far and the next word. */
	gap: number;
};

/** Breaks at LF and between words; spaces at a break belong to no line. */
function wordRanges(text: string, roomFirst: number, roomRest: number): readonly Range[] {
	const filling: Filling = {ranges: [], roomRest, room: roomFirst, from: 0, end: 0, used: 0, gap: 0};
	let start = 0;
	for (const line of text.split('\n')) {
		for (const {0: word, index} of line.matchAll(/ +|[^ ]+/g)) {
			if (word.startsWith(' ')) {
				filling.gap = word.length;
			} else {
				addWord(filling, word, start + index);
			}
		}

		start += line.length;
		if (filling.used + filling.gap <= filling.room) {
			filling.end = start;
		}

		start += 1;
		closeLine(filling, start);
	}

	return filling.ranges;
}

/** Ends the line; the next one begins at `next`. */
function closeLine(filling: Filling, next: number): void {
	filling.ranges.push({start: filling.from, end: filling.end});
	filling.room = filling.roomRest;
	filling.from = next;
	filling.end = next;
	filling.used = 0;
	filling.gap = 0;
}

function addWord(filling: Filling, word: string, index: number): void {
	let at = index;
	for (const {text, cells} of unitsOf(word)) {
		if (filling.used + filling.gap + cells > filling.room && (filling.used > 0 || filling.gap > 0)) {
			closeLine(filling, at);
		}

		if (cells > filling.room) {
			addLongUnit(filling, text, at);
		} else {
			filling.used += filling.gap + cells;
			filling.end = at + text.length;
		}

		at += text.length;
		filling.gap = 0;
	}
}

/** Breaks a unit that is wider than a line. */
function addLongUnit(filling: Filling, unit: string, index: number): void {
	let at = index;
	for (const grapheme of fittingGraphemes(unit, filling.room)) {
		const cells = graphemeWidth(grapheme);
		if (filling.used + cells > filling.room && filling.end > filling.from) {
			closeLine(filling, at);
		}

		filling.used += cells;
		at += grapheme.length;
		filling.end = at;
	}
}

/** Splits text into graphemes of at most `room` cells; one with too many marks is split further. */
function fittingGraphemes(text: string, room: number): readonly string[] {
	// One unit has two cells at most, and there is always room for them.
	const isTooWide = (grapheme: string) => grapheme.length > 1 && graphemeWidth(grapheme) > room;
	const graphemes = graphemesOf(text);
	return graphemes.some(isTooWide)
		? graphemes.flatMap(grapheme => (isTooWide(grapheme) ? [...grapheme] : grapheme))
		: graphemes;
}

/** Splits a word where it may be broken: beside wide characters. */
function unitsOf(word: string): readonly {readonly text: string; readonly cells: number}[] {
	const cells = textWidth(word);
	if (cells === word.length && !/[^\0-\u2FFF]/.test(word)) {
		return [{text: word, cells}];
	}

	const units: {text: string; cells: number}[] = [];
	let open: {text: string; cells: number} | undefined;
	for (const grapheme of graphemesOf(word)) {
		const own = graphemeWidth(grapheme);
		if (open && own < 2) {
			open.text += grapheme;
			open.cells += own;
			continue;
		}

		const unit = {text: grapheme, cells: own};
		units.push(unit);
		open = own < 2 ? unit : undefined;
	}

	return units;
}

function expandTabs(pieces: readonly Piece[]): readonly Piece[] {
	let column = 0;
	return pieces.map(piece => {
		const text = piece.text.replace(/\t|\n|[^\t\n]+/g, part => {
			if (part === '\t') {
				const cells = tabStop - (column % tabStop);
				column += cells;
				return ' '.repeat(cells);
			}

			column = part === '\n' ? 0 : column + textWidth(part);
			return part;
		});
		return {...piece, text};
	});
}
