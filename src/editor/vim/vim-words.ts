import {foldIndexAt} from '../folds.ts';
import {characterAt, nextBoundary, previousBoundary} from '../graphemes.ts';
import type {Text} from '../long-text.ts';
import {lineEnd, lineStart} from '../motion.ts';

/** What a character is for Vim: blank, a part of a word, or another sign. For big words there are only blanks and others. */
type Class = 'blank' | 'word' | 'sign' | 'end';

/** Returns the class of the character at `offset`; a folded paste is a word. */
export function classAt(text: Text, offset: number, isBig: boolean): Class {
	if (offset < 0 || offset >= text.length) {
		return 'end';
	}

	const character = characterAt(text, offset);
	return /\s/.test(character)
		? 'blank'
		: isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) || foldIndexAt(text, offset) !== undefined
			? 'word'
			: 'sign';
}

/** Returns the start of the next word. An empty line is a word. */
export function nextWord(text: Text, offset: number, isBig: boolean): number {
	let at = offset;
	const first = classAt(text, at, isBig);
	while (at < text.length && first !== 'blank' && classAt(text, at, isBig) === first) {
		at = nextBoundary(text, at);
	}

	while (at < text.length && classAt(text, at, isBig) === 'blank') {
		const isEmptyLine = text.charAt(at) === '\n' && text.charAt(at - 1) === '\n' && at > offset;
		if (isEmptyLine) {
			break;
		}

		at = nextBoundary(text, at);
	}

	return at;
}

/** Returns the start of the word before `offset`. */
export function previousWord(text: Text, offset: number, isBig: boolean): number {
	let at = previousBoundary(text, offset);
	while (at > 0 && classAt(text, at, isBig) === 'blank') {
		at = previousBoundary(text, at);
	}

	const kind = classAt(text, at, isBig);
	while (at > 0 && classAt(text, previousBoundary(text, at), isBig) === kind) {
		at = previousBoundary(text, at);
	}

	return at;
}

/** Returns the last character of the word that ends after `offset`. */
export function wordEnd(text: Text, offset: number, isBig: boolean): number {
	let at = nextBoundary(text, offset);
	while (at < text.length && classAt(text, at, isBig) === 'blank') {
		at = nextBoundary(text, at);
	}

	if (at >= text.length) {
		return previousBoundary(text, text.length);
	}

	const kind = classAt(text, at, isBig);
	for (let next = nextBoundary(text, at); classAt(text, next, isBig) === kind; next = nextBoundary(text, next)) {
		at = next;
	}

	return at;
}

/** Returns the first character of the line at `offset` that is not blank. */
export function firstInLine(text: Text, offset: number): number {
	const end = lineEnd(text, offset);
	let at = lineStart(text, offset);
	while (at < end && classAt(text, at, false) === 'blank') {
		at = nextBoundary(text, at);
	}

	return at;
}

/** Returns the caret as normal mode has it: on a character, not behind the last one of a line. */
export function onCharacter(text: Text, caret: number): number {
	return caret > lineStart(text, caret) && caret === lineEnd(text, caret) ? previousBoundary(text, caret) : caret;
}
