import {type Piece, paintPieces, parsePieces, plainText} from './ansi.ts';

const narrow =
	' -~\\u00A0-\\u00AC\\u00AE-\\u02FF\\u0391-\\u03FF\\u0400-\\u0482\\u048A-\\u052F\\u2010-\\u2027\\u2030-\\u205E' +
	'\\u2190-\\u2319\\u2400-\\u2426\\u2500-\\u25FC\\u27E6-\\u27EF';
const wide = '\\u3001-\\u3029\\u3041-\\u3096\\u309B-\\u30FF\\u4E00-\\u9FFF\\uAC00-\\uD7A3\\uFF01-\\uFF60';
const allNarrow = new RegExp(`^[${narrow}]*$`);
/** Text in which each UTF-16 unit is a grapheme, one or two cells wide. */
const allSimple = new RegExp(`^[${narrow}${wide}]*$`);

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

const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u;
const emojiSequence =
	/^(?:[0-9#*]\uFE0F?\u20E3|\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\uFE0F?\u200D\p{Extended_Pictographic}))/u;
/** Marks and half-width signs that take cells of their own after their base. */
const trailing = /[\p{Mc}\uFF00-\uFFEF]/u;

/** UTF-16 units of a grapheme; more marks on one letter are an attack on the eye and come one by one. */
const longest = 50;
let segmenter: Intl.Segmenter | undefined;

/** Takes text apart into what a reader sees as one character each. Text holds no escape sequence. */
export function graphemesOf(text: string): readonly string[] {
	if (allSimple.test(text)) {
		return text.split('');
	}

	segmenter ??= new Intl.Segmenter('en', {granularity: 'grapheme'});
	const graphemes: string[] = [];
	for (const {segment} of segmenter.segment(text)) {
		if (segment.length > longest) {
			for (const character of segment) {
				graphemes.push(character);
			}
		} else {
			graphemes.push(segment);
		}
	}

	return graphemes;
}

/** Cells that plain text takes in a terminal. Control characters and TAB count 0: sanitize and expand first. */
export function textWidth(text: string): number {
	if (allNarrow.test(text)) {
		return text.length;
	}

	let width = 0;
	if (allSimple.test(text)) {
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

/** Cells of one grapheme: of its base, of the emoji sequence that it is, and of the marks that stand beside the base. */
export function graphemeWidth(grapheme: string): number {
	const code = grapheme.codePointAt(0) ?? 0;
	if (grapheme.length === 1 && code >= 0x20 && code < 0x7f) {
		return 1;
	}

	if (emojiSequence.test(grapheme)) {
		return 2;
	}

	let width = 0;
	let leading = false;
	for (const character of grapheme) {
		if (invisible.test(character)) {
			continue;
		}

		// The vowels and finals of a Hangul syllable share the cells of its leading consonant.
		const own = character.codePointAt(0) ?? 0;
		const filler: boolean = leading && isJamoTail(own);
		leading = filler || isJamoLead(own);
		if (!filler && (width === 0 || trailing.test(character) || isJamoLead(own) || isHangul(own))) {
			width += isWide(own) ? 2 : 1;
		}
	}

	return width;
}

/** Cells of a line that holds our own colour and link sequences. */
export function lineWidth(line: string): number {
	return textWidth(plainText(line));
}

/** Cuts a line, with or without our own sequences, to `width` cells; a cut one ends in `…`. Its styles are closed. */
export function truncate(line: string, width: number): string {
	if (lineWidth(line) <= width) {
		return line;
	}

	const kept: Piece[] = [];
	let room = width - 1;
	for (const piece of parsePieces(line)) {
		const head = room < 0 ? '' : headOf(piece.text, room);
		kept.push({...piece, text: head});
		room -= textWidth(head);
		if (head.length < piece.text.length) {
			break;
		}
	}

	return width < 1 ? '' : `${paintPieces(kept)}…`;
}

/** Fills a line, with or without our own sequences, up to `width` cells with spaces; a longer one stays as it is. */
export function padEnd(line: string, width: number): string {
	return line + ' '.repeat(Math.max(0, width - lineWidth(line)));
}

function headOf(text: string, room: number): string {
	if (allNarrow.test(text)) {
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

function isJamoLead(code: number): boolean {
	return (code >= 0x1100 && code <= 0x115f) || (code >= 0xa960 && code <= 0xa97c);
}

function isJamoTail(code: number): boolean {
	return (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7fb);
}

function isHangul(code: number): boolean {
	return (code >= 0xac00 && code <= 0xd7a3) || isJamoTail(code);
}

function isWide(code: number): boolean {
	let low = 0;
	let high = wideRanges.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const [first, last] = wideRanges[middle] ?? [0, 0];
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

function parseRanges(list: string): readonly (readonly [number, number])[] {
	return list.split(' ').map(range => {
		const [first = '', last = first] = range.split('-');
		return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
	});
}
