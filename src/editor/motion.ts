import {foldIndexAt} from './folds.ts';
import {characterAt, nextBoundary, previousBoundary} from './graphemes.ts';
import type {Text} from './long-text.ts';

/** Returns the start of the line at `offset`. LF ends lines, regardless of the window. */
export function lineStart(text: Text, offset: number): number {
	return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: Text, offset: number): number {
	const end = text.indexOf('\n', offset);
	return end === -1 ? text.length : end;
}

/** Returns the start of the word before `offset`, skipping other characters. A folded paste is a word. */
export function wordBefore(text: Text, offset: number): number {
	return scanBack(text, offset, isWord);
}

/** Returns the end of the word behind `offset`. */
export function wordAfter(text: Text, offset: number): number {
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

/** Returns the start of the text without spaces before `offset`, which Ctrl+W kills. */
export function chunkBefore(text: Text, offset: number): number {
	return scanBack(text, offset, (all, at) => !/\s/.test(all.charAt(at)));
}

type Test = (text: Text, offset: number) => boolean;

function scanBack(text: Text, offset: number, belongs: Test): number {
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

/** True for letters, digits, marks and similar characters of any script, and for folds. */
function isWord(text: Text, offset: number): boolean {
	const character = characterAt(text, offset);
	return /[\p{L}\p{N}\p{M}_]/u.test(character) || foldIndexAt(text, offset) !== undefined;
}
