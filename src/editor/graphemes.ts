import type {Text} from './long-text.ts';

/**
 * Boundaries of graphemes, found without reading the whole text: a prompt may have 100 KB, which takes Intl.Segmenter
 * milliseconds. There always is a boundary between two simple characters (UAX #29 joins none of their classes), so
 * segmenting starts at the last such place before the caret.
 */

let segmenter: Intl.Segmenter | undefined;

/** How far back to look for a boundary. In longer runs of emoji or marks without a simple pair it may be wrong. */
const maxLookBehind = 1024;

/** True for characters that never join another simple one: ASCII, Latin, Greek, Cyrillic, kana, ideographs, Hangul. */
export function isSimple(code: number): boolean {
	if (code < 0x300) {
		return (code >= 0x20 && code < 0x7f) || code === 0x0a || (code >= 0xa0 && code !== 0xad);
	}

	return isWide(code) || (code >= 0x391 && code <= 0x3c9) || (code >= 0x400 && code <= 0x481) || isSign(code);
}

/** Simple characters that take two cells. */
export function isWide(code: number): boolean {
	return (
		code >= 0x3001 &&
		((code >= 0x4e00 && code <= 0x9fff) ||
			(code >= 0xac00 && code <= 0xd7a3) ||
			(code >= 0x3041 && code <= 0x3096) ||
			(code >= 0x30a1 && code <= 0x30fa) ||
			code <= 0x3029 ||
			(code >= 0xff01 && code <= 0xff60))
	);
}

/** Dashes, quotation marks and box drawing. */
function isSign(code: number): boolean {
	return (code >= 0x2010 && code <= 0x2026) || (code >= 0x2500 && code <= 0x257f);
}

/** Returns the end of the grapheme that begins at `offset`, itself a boundary. */
export function nextBoundary(text: Text, offset: number): number {
	const end = offset + 1;
	if (end >= text.length) {
		return text.length;
	}

	if (isSimple(text.charCodeAt(offset)) && isSimple(text.charCodeAt(end))) {
		return end;
	}

	for (let size = 32; ; size *= 4) {
		const length = firstLength(text.slice(offset, offset + size));
		// A grapheme that touches the end of the window, or a pair cut there, may continue behind it.
		if (length < size - 1 || offset + size >= text.length) {
			return offset + length;
		}
	}
}

/** Returns the start of the grapheme that ends at `offset`, itself a boundary. */
export function previousBoundary(text: Text, offset: number): number {
	if (offset <= 1) {
		return 0;
	}

	const last = offset - 1;
	if (isSure(text, last)) {
		return last;
	}

	const start = sureBefore(text, last);
	const window = text.slice(start, offset);
	return start + (segments(window).containing(window.length - 1)?.index ?? 0);
}

/** Returns the first boundary at or after `offset`, for a caret after an edit that joined its two sides. */
export function boundaryFrom(text: Text, offset: number): number {
	if (offset <= 0 || offset >= text.length) {
		return Math.max(0, Math.min(offset, text.length));
	}

	let boundary = isSure(text, offset) ? offset : sureBefore(text, offset);
	while (boundary < offset) {
		boundary = nextBoundary(text, boundary);
	}

	return boundary;
}

function isSure(text: Text, offset: number): boolean {
	return isSimple(text.charCodeAt(offset - 1)) && isSimple(text.charCodeAt(offset));
}

function sureBefore(text: Text, offset: number): number {
	let start = offset;
	while (start > 0 && offset - start < maxLookBehind && !isSure(text, start)) {
		start--;
	}

	return start > 0 && isLow(text.charCodeAt(start)) && isHigh(text.charCodeAt(start - 1)) ? start - 1 : start;
}

function isHigh(code: number): boolean {
	return code >= 0xd8_00 && code <= 0xdb_ff;
}

function isLow(code: number): boolean {
	return code >= 0xdc_00 && code <= 0xdf_ff;
}

function firstLength(text: string): number {
	return segments(text).containing(0)?.segment.length ?? text.length;
}

function segments(text: string): Intl.Segments {
	segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'});
	return segmenter.segment(text);
}

/** Returns the character at `offset`, with both units of a pair; empty at the end. */
export function characterAt(text: Text, offset: number): string {
	return isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1))
		? text.slice(offset, offset + 2)
		: text.charAt(offset);
}
