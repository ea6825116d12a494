import {type Piece, paintPieces, parsePieces, plainText} from './ansi.ts';
import {cellWidths} from './cell-widths.ts';

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

type Ranges = readonly (readonly [first: number, last: number])[];

/** Ranges of East_Asian_Width W and F in Unicode 17 (EastAsianWidth.txt): first-last or one code point, hexadecimal. */
const wideRanges = parseRanges(
	'1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f 268a-268f 2693 26a1 ' +
		'26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b 2728 274c 274e 2753-2755 ' +
		'2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-2e99 2e9b-2ef3 2f00-2fd5 2ff0-303e 3041-3096 3099-30ff ' +
		'3105-312f 3131-318e 3190-31e5 31ef-321e 3220-3247 3250-a48c a490-a4c6 a960-a97c ac00-d7a3 f900-faff fe10-fe19 ' +
		'fe30-fe52 fe54-fe66 fe68-fe6b ff01-ff60 ffe0-ffe6 16fe0-16fe4 16ff0-16ff6 17000-18cda 18cff-18d20 18d80-18df2 ' +
		'18e00-19191 191a0-191d2 1aff0-1aff3 1aff5-1affb 1affd-1affe 1b000-1b128 1b132 1b150-1b152 1b155 1b164-1b168 ' +
		'1b170-1b2fb 1d300-1d356 1d360-1d376 1f004 1f0cf 1f18e 1f191-1f19a 1f1ae 1f200-1f202 1f210-1f23b 1f240-1f248 ' +
		'1f250-1f251 1f260-1f265 1f300-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0 ' +
		'1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc 1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596 1f5a4 1f5fb-1f64f ' +
		'1f680-1f6c5 1f6cc 1f6d0-1f6d2 1f6d5-1f6d9 1f6dc-1f6df 1f6eb-1f6ec 1f6f4-1f6fc 1f7da 1f7e0-1f7eb 1f7f0 ' +
		'1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1fa7c 1fa80-1fac6 1fac8 1facc-1fadd 1fadf-1faeb 1faef-1fafa ' +
		'20000-2fffd 30000-3fffd',
);

/** Ranges of East_Asian_Width A in Unicode 17 that take one or two cells, depending on the terminal. */
const ambiguousRanges = parseRanges(
	'a1 a4 a7-a8 aa ae b0-b4 b6-ba bc-bf c6 d0 d7-d8 de-e1 e6 e8-ea ec-ed f0 f2-f3 f7-fa fc fe 101 111 113 11b ' +
		'126-127 12b 131-133 138 13f-142 144 148-14b 14d 152-153 166-167 16b 1ce 1d0 1d2 1d4 1d6 1d8 1da 1dc 251 261 ' +
		'2c4 2c7 2c9-2cb 2cd 2d0 2d8-2db 2dd 2df 391-3a1 3a3-3a9 3b1-3c1 3c3-3c9 401 410-44f 451 2010 2013-2016 ' +
		'2018-2019 201c-201d 2020-2022 2024-2027 2030 2032-2033 2035 203b 203e 2074 207f 2081-2084 20ac 2103 2105 ' +
		'2109 2113 2116 2121-2122 2126 212b 2153-2154 215b-215e 2160-216b 2170-2179 2189 2190-2199 21b8-21b9 21d2 ' +
		'21d4 21e7 2200 2202-2203 2207-2208 220b 220f 2211 2215 221a 221d-2220 2223 2225 2227-222c 222e 2234-2237 ' +
		'223c-223d 2248 224c 2252 2260-2261 2264-2267 226a-226b 226e-226f 2282-2283 2286-2287 2295 2299 22a5 22bf ' +
		'2312 2460-24e9 24eb-254b 2550-2573 2580-258f 2592-2595 25a0-25a1 25a3-25a9 25b2-25b3 25b6-25b7 25bc-25bd ' +
		'25c0-25c1 25c6-25c8 25cb 25ce-25d1 25e2-25e5 25ef 2605-2606 2609 260e-260f 261c 261e 2640 2642 2660-2661 ' +
		'2663-2665 2667-266a 266c-266d 266f 269e-269f 26bf 26c6-26cd 26cf-26d3 26d5-26e1 26e3 26e8-26e9 26eb-26f1 ' +
		'26f4 26f6-26f9 26fb-26fc 26fe-26ff 273d 2776-277f 2b56-2b59 3248-324f fffd 1f100-1f10a 1f110-1f12d ' +
		'1f130-1f169 1f170-1f18d 1f18f-1f190 1f19b-1f1ac',
);

/** True for a character that takes two cells in every terminal. */
function isWide(code: number): boolean {
	return isWithin(wideRanges, code);
}

/** True for a character that takes two cells in terminals that are set up for an East Asian language. */
function isAmbiguous(code: number): boolean {
	return isWithin(ambiguousRanges, code);
}

function isWithin(ranges: Ranges, code: number): boolean {
	let low = 0;
	let high = ranges.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const [first, last] = ranges[middle] ?? [0, 0];
		if (code < first) {
			high = middle - 1;
		} else if (code > last) {
			low = middle + 1;
		} else {
			return true;
		}
	}

	return false;
}

function parseRanges(list: string): Ranges {
	return list.split(' ').map(range => {
		const [first = '', last = first] = range.split('-');
		return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
	});
}
