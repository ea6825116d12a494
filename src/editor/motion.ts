import {foldIndexAt} from './folds.ts';
import {nextBoundary, previousBoundary} from './graphemes.ts';

/** The beginning of the line in which `offset` is. Lines are what LF separates, however wide the window. */
export function lineStart(text: string, offset: number): number {
	return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
	const end = text.indexOf('\n', offset);
	return end === -1 ? text.length : end;
}

/** The beginning of the word before `offset`: past what is no word, then past the word. A folded paste is a word. */
export function wordBefore(text: string, offset: number): number {
	return scanBack(text, offset, isWord);
}

/** The end of the word behind `offset`. */
export function wordAfter(text: string, offset: number): number {
	let end = offset;
	while (end < text.length && !isWord(text, end)) {
		end = nextBoundary(text, end);
	}

	if (foldIndexAt(text, end) !== undefined) {
		return end + 1;
	}

	while (end < text.length && isWord(text, end) && foldIndexAt(text, end) === undefined) {
		end = nextBoundary(text, end);
	}

	return end;
}

/** The beginning of what stands before `offset` without a space in it: what Ctrl+W takes. */
export function chunkBefore(text: string, offset: number): number {
	return scanBack(text, offset, (all, at) => !/\s/.test(all.charAt(at)));
}

type Test = (text: string, offset: number) => boolean;

function scanBack(text: string, offset: number, belongs: Test): number {
	let start = offset;
	let before = previousBoundary(text, start);
	while (start > 0 && !belongs(text, before)) {
		start = before;
		before = previousBoundary(text, start);
	}

	if (foldIndexAt(text, before) !== undefined) {
		return before;
	}

	while (start > 0 && belongs(text, before) && foldIndexAt(text, before) === undefined) {
		start = before;
		before = previousBoundary(text, start);
	}

	return start;
}

/** Letters, digits, marks and what is like them, in any script; and folds. */
function isWord(text: string, offset: number): boolean {
	const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
	return /[\p{L}\p{N}\p{M}_]/u.test(character) || foldIndexAt(text, offset) !== undefined;
}
