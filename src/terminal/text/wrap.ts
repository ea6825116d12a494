import {type Piece, paintPieces, parsePieces} from './ansi.ts';
import {graphemesOf, graphemeWidth, lineWidth, textWidth} from './width.ts';

const tabStop = 4;

export type WrapOptions = {
	/** Written before the first line and before all further ones (a hanging indent); they count in the width. */
	readonly first?: string;
	readonly rest?: string;
	/** Breaks at the width alone and keeps every space, as code needs it. */
	readonly hard?: boolean;
};

/** The part of a text that becomes one line, in UTF-16 units. */
type Range = {readonly start: number; readonly end: number};

/**
 * Wraps text with our own colour and link sequences into lines of at most `width` cells (2 at least), at spaces and
 * beside wide characters, in the middle of words that are too long; LF breaks as well, TAB goes to the next 4th column.
 * Styles go on over breaks and are closed at the end of each line. Gives one empty line for empty text.
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

/** An indent that leaves no room for text is left out. */
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

/** Breaks at LF and wherever the room ends. */
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

/** Breaks at LF and between words; spaces at a break belong to no line. */
function wordRanges(text: string, roomFirst: number, roomRest: number): readonly Range[] {
	const ranges: Range[] = [];
	let from = 0;
	let end = 0;
	let used = 0;
	/** Cells of the spaces between the line so far and the next word. */
	let gap = 0;
	const room = () => (ranges.length === 0 ? roomFirst : roomRest);
	const close = (next: number) => {
		ranges.push({start: from, end});
		from = next;
		end = next;
		used = 0;
		gap = 0;
	};

	let start = 0;
	for (const line of text.split('\n')) {
		for (const {0: word, index} of line.matchAll(/ +|[^ ]+/g)) {
			let at = start + index;
			if (word.startsWith(' ')) {
				gap = word.length;
				continue;
			}

			for (const {text: unit, cells} of unitsOf(word)) {
				if (used + gap + cells > room() && (used > 0 || gap > 0)) {
					close(at);
				}

				if (cells > room()) {
					for (const grapheme of fittingGraphemes(unit, room())) {
						const own = graphemeWidth(grapheme);
						if (used + own > room() && end > from) {
							close(at);
						}

						used += own;
						at += grapheme.length;
						end = at;
					}
				} else {
					used += gap + cells;
					at += unit.length;
					end = at;
				}

				gap = 0;
			}
		}

		start += line.length;
		if (used + gap <= room()) {
			end = start;
		}

		start += 1;
		close(start);
	}

	return ranges;
}

/** Graphemes of at most `room` cells; one with too many marks beside it is taken apart. */
function fittingGraphemes(text: string, room: number): readonly string[] {
	return graphemesOf(text).flatMap(grapheme => (graphemeWidth(grapheme) > room ? [...grapheme] : grapheme));
}

/** What of a word stays together: wide characters may be parted from their neighbours, others not. */
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
