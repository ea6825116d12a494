import {type Piece, paintPieces, parsePieces, plainText} from './ansi.ts';
import {cellWidths} from './cell-widths.ts';
import {isAmbiguous, isWide} from './east-asian-width.ts';

const narrow =
	' -~\\u00A0-\\u00AC\\u00AE-\\u02FF\\u0391-\\u03FF\\u0400-\\u0482\\u048A-\\u052F\\u2010-\\u2027\\u2030-\\u205E' +
	'\\u2190-\\u2319\\u2400-\\u2426\\u2500-\\u25FC\\u2713\\u2717\\u276F\\u27E6-\\u27EF';
const wide = '\\u3001-\\u3029\\u3041-\\u3096\\u309B-\\u30FF\\u4E00-\\u9FFF\\uAC00-\\uD7A3\\uFF01-\\uFF60';
const allAscii = /^[ -~]*$/;
const allNarrow = new RegExp(`^[${narrow}]*$`);
/** Matches text in which each UTF-16 unit is a grapheme, one or two cells wide. */
const allSimple = new RegExp(`^[${narrow}${wide}]*$`);

/** What graphemes other than letters are made of. */
const compilePatterns = () => ({
	invisible: /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u,
	keycap: /^[0-9#*]\uFE0F?\u20E3/u,
	flag: /^\p{Regional_Indicator}{2}/u,
	joinedEmoji: /^\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?\u200D\p{Extended_Pictographic}/u,
	modifiedEmoji: /^(\p{Extended_Pictographic})(\p{Emoji_Modifier})/u,
	presentedEmoji: /^(\p{Extended_Pictographic})\uFE0F/u,
	emojiByDefault: /\p{Emoji_Presentation}/u,
	/** Signs with cells of their own after their base: half-width marks, and the vowels of Thai and Lao that are letters. */
	trailing: /[\u0E33\u0EB3\uFF00-\uFFEF]/u,
	spacingMark: /\p{Mc}/u,
	khmer: /\p{Script=Khmer}/u,
});

/** Compiles them for the first text that isn't simple, because the first frame is and would wait a millisecond. */
let patterns = () => {
	const compiled = compilePatterns();
	patterns = () => compiled;
	return compiled;
};

const ellipsis = '…';

/** Most UTF-16 units of a grapheme; with more marks, its characters are separate. */
const maxGraphemeLength = 50;

/** True for text in which each character takes one or two cells in any terminal whose widths were measured. */
export function isSimple(text: string): boolean {
	return allSimple.test(text);
}

/** Splits text into graphemes. The text has no escape sequences. */
export function graphemesOf(text: string): readonly string[] {
	if (allSimple.test(text)) {
		return text.split('');
	}

	const graphemes: string[] = [];
	for (const segment of graphemeSegments(text)) {
		if (segment.length > maxGraphemeLength) {
			for (const character of segment) {
				graphemes.push(character);
			}
		} else {
			graphemes.push(segment);
		}
	}

	return graphemes;
}

/** Returns the width of plain text. Control characters and TAB count 0: sanitize and expand first. */
export function textWidth(text: string): number {
	if (isNarrow(text)) {
		return text.length;
	}

	let width = 0;
	if (cellWidths().ambiguous === 1 && allSimple.test(text)) {
		for (let index = 0; index < text.length; index++) {
			width += text.charCodeAt(index) < 0x3000 ? 1 : 2;
		}

		return width;
	}

	for (const grapheme of graphemesOf(text)) {
		width += graphemeWidth(grapheme);
	}

	return width;
}

/** Returns the width of one grapheme in this terminal, which may draw its parts one by one. */
export function graphemeWidth(grapheme: string): number {
	const code = grapheme.codePointAt(0) ?? 0;
	if (grapheme.length === 1 && code >= 0x20 && code < 0x7f) {
		return 1;
	}

	return emojiWidth(grapheme) ?? lettersWidth(grapheme);
}

/**
 * Returns the width of an emoji sequence, which a terminal draws as one picture or as its parts; undefined for other
 * text.
 */
function emojiWidth(grapheme: string): number | undefined {
	const cells = cellWidths();
	if (patterns().keycap.test(grapheme)) {
		return cells.keycap;
	}

	if (patterns().flag.test(grapheme)) {
		return cells.flag;
	}

	if (patterns().joinedEmoji.test(grapheme)) {
		const parts = grapheme.split('\u200D');
		return cells.family === cells.emoji ? cells.emoji : parts.reduce((sum, part) => sum + graphemeWidth(part), 0);
	}

	const [, person, tone] = patterns().modifiedEmoji.exec(grapheme) ?? [];
	if (person && tone) {
		return cells.modified === cells.emoji ? cells.modified : lettersWidth(person) + lettersWidth(tone);
	}

	const [, sign] = patterns().presentedEmoji.exec(grapheme) ?? [];
	return sign === undefined ? undefined : Math.max(cells.presented, lettersWidth(sign));
}

/** Returns the width of a base with the marks and letters beside it. */
function lettersWidth(grapheme: string): number {
	const {spaced, conjunct, khmer: khmerConjunct} = cellWidths();
	let width = 0;
	let leading = false;
	for (const character of grapheme) {
		if (patterns().invisible.test(character)) {
			continue;
		}

		// The vowels and finals of a Hangul syllable share the cells of its leading consonant.
		const code = character.codePointAt(0) ?? 0;
		const filler: boolean = leading && isJamoTail(code);
		leading = filler || isJamoLead(code);
		if (filler) {
			continue;
		}

		if (width === 0 || patterns().trailing.test(character) || isJamoLead(code) || isHangul(code)) {
			width += characterWidth(character, code);
		} else if (patterns().spacingMark.test(character)) {
			width += spaced - 1;
		} else {
			width += (patterns().khmer.test(character) ? khmerConjunct : conjunct) - 1;
		}
	}

	return width;
}

function characterWidth(character: string, code: number): number {
	const {emoji, ambiguous} = cellWidths();
	if (isWide(code)) {
		return patterns().emojiByDefault.test(character) ? emoji : 2;
	}

	return ambiguous === 2 && isAmbiguous(code) ? 2 : 1;
}

/** Returns the width of a line with our own colour and link sequences. */
export function lineWidth(line: string): number {
	return textWidth(plainText(line));
}

/** Cuts a line, with or without our own sequences, to `width` cells; a cut line ends in `…` and closes its styles. */
export function truncate(line: string, width: number): string {
	if (lineWidth(line) <= width) {
		return line;
	}

	const kept: Piece[] = [];
	const ellipsisWidth = graphemeWidth(ellipsis);
	let room = width - ellipsisWidth;
	for (const piece of parsePieces(line)) {
		const head = room < 0 ? '' : headOf(piece.text, room);
		kept.push({...piece, text: head});
		room -= textWidth(head);
		if (head.length < piece.text.length) {
			break;
		}
	}

	return width < ellipsisWidth ? '' : `${paintPieces(kept)}${ellipsis}`;
}

/** Pads a line, with or without our own sequences, to `width` cells; a longer one stays as it is. */
export function padEnd(line: string, width: number): string {
	return line + ' '.repeat(Math.max(0, width - lineWidth(line)));
}

/**
 * Returns the cells of a line, with or without our own sequences, from column `from` up to `to`. A wide character that is
 * cut leaves spaces.
 */
export function sliceLine(line: string, from: number, to = Number.POSITIVE_INFINITY): string {
	if (from <= 0 && (to === Number.POSITIVE_INFINITY || lineWidth(line) <= to)) {
		return line;
	}

	const kept: Piece[] = [];
	let column = 0;
	for (const piece of parsePieces(line)) {
		let text = '';
		for (const grapheme of graphemesOf(piece.text)) {
			const end = column + graphemeWidth(grapheme);
			const isWhole = column >= from && column < to && end <= to;
			text += isWhole ? grapheme : ' '.repeat(Math.max(0, Math.min(end, to) - Math.max(column, from)));
			column = end;
		}

		kept.push({...piece, text});
	}

	return paintPieces(kept);
}

function headOf(text: string, room: number): string {
	if (isNarrow(text)) {
		return text.slice(0, room);
	}

	let used = 0;
	let end = 0;
	for (const grapheme of graphemesOf(text)) {
		used += graphemeWidth(grapheme);
		if (used > room) {
			break;
		}

		end += grapheme.length;
	}

	return text.slice(0, end);
}

/** True for text whose UTF-16 units take one cell each. */
function isNarrow(text: string): boolean {
	return (cellWidths().ambiguous === 1 ? allNarrow : allAscii).test(text);
}

function isJamoLead(code: number): boolean {
	return (code >= 0x1100 && code <= 0x115f) || (code >= 0xa960 && code <= 0xa97c);
}

function isJamoTail(code: number): boolean {
	return (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7fb);
}

function isHangul(code: number): boolean {
	return (code >= 0xac00 && code <= 0xd7a3) || isJamoTail(code);
}

let segmenter: Intl.Segmenter | undefined;

/** UTF-16 units that are segmented at once: V8 needs time for each segment that grows with the length of the text. */
const usualWindow = 4096;

/** Yields the graphemes of a text (UAX #29), in time that grows with its length. Together they are the text. */
export function* graphemeSegments(text: string): Generator<string> {
	segmenter ??= new Intl.Segmenter('en', {granularity: 'grapheme'});
	let size = usualWindow;
	for (let start = 0; start < text.length; ) {
		const end = windowEnd(text, start + size);
		const segments = Array.from(segmenter.segment(text.slice(start, end)), ({segment}) => segment);
		// The last one may continue behind the window. What comes before a boundary doesn't change the ones behind it.
		const whole = end === text.length ? segments : segments.slice(0, -1);
		yield* whole;
		start = end === text.length ? end : end - (segments.at(-1)?.length ?? 0);
		size = whole.length > 0 ? usualWindow : size * 2;
	}
}

/** Returns the end of a window, which doesn't split a surrogate pair. */
function windowEnd(text: string, end: number): number {
	const isSplit = (text.codePointAt(end - 1) ?? 0) > 0xffff;
	return Math.min(text.length, isSplit ? end + 1 : end);
}
