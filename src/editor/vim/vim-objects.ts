import {nextBoundary, previousBoundary} from '../graphemes.ts';
import type {Text} from '../long-text.ts';
import {lineEnd, lineStart} from '../motion.ts';
import type {Selection} from '../selection.ts';
import {classAt} from './vim-words.ts';

const pairs: Readonly<Record<string, readonly [string, string]>> = {
	'(': ['(', ')'],
	')': ['(', ')'],
	b: ['(', ')'],
	'[': ['[', ']'],
	']': ['[', ']'],
	'{': ['{', '}'],
	'}': ['{', '}'],
	B: ['{', '}'],
	'<': ['<', '>'],
	'>': ['<', '>'],
};

const quotes = ['"', "'", '`'];

/** The names of text objects behind `i` and `a`. */
export const objectNames: readonly string[] = ['w', 'W', 'p', ...quotes, ...Object.keys(pairs)];

/** Returns the text object at the caret: what is inside, or with `isAround` what is around it. Undefined without one. */
export function objectAt(text: Text, caret: number, name: string, isAround: boolean): Selection | undefined {
	const pair = pairs[name];
	return pair
		? insidePair(text, caret, pair, isAround)
		: quotes.includes(name)
			? insideQuotes(text, caret, name, isAround)
			: name === 'p'
				? paragraphAt(text, caret, isAround)
				: wordAt(text, caret, name === 'W', isAround);
}

function wordAt(text: Text, caret: number, isBig: boolean, isAround: boolean): Selection | undefined {
	const kind = classAt(text, caret, isBig);
	if (kind === 'end' || text.charAt(caret) === '\n') {
		return undefined;
	}

	const {start, end} = runAt(text, caret, isBig);
	if (!isAround) {
		return {start, end};
	}

	// With a word go the blanks after it, or those before it; with blanks the word after them.
	const isBlank = (at: number) => classAt(text, at, isBig) === 'blank' && text.charAt(at) !== '\n';
	if (kind === 'blank' ? classAt(text, end, isBig) !== 'end' && text.charAt(end) !== '\n' : isBlank(end)) {
		return {start, end: runAt(text, end, isBig).end};
	}

	const before = previousBoundary(text, start);
	return start > 0 && kind !== 'blank' && isBlank(before)
		? {start: runAt(text, before, isBig).start, end}
		: {start, end};
}

/** Returns the characters of one class around `at`, within its line. */
function runAt(text: Text, at: number, isBig: boolean): Selection {
	const kind = classAt(text, at, isBig);
	let start = at;
	for (
		let before = previousBoundary(text, start);
		start > 0 && isSame(before);
		before = previousBoundary(text, start)
	) {
		start = before;
	}

	let end = nextBoundary(text, at);
	while (end < text.length && isSame(end)) {
		end = nextBoundary(text, end);
	}

	return {start, end};

	function isSame(offset: number): boolean {
		return text.charAt(offset) !== '\n' && classAt(text, offset, isBig) === kind;
	}
}

function insideQuotes(text: Text, caret: number, quote: string, isAround: boolean): Selection | undefined {
	const lineFrom = lineStart(text, caret);
	const places = [...text.slice(lineFrom, lineEnd(text, caret)).matchAll(/\\.|["'`]/gu)]
		.filter(([found]) => found === quote)
		.map(({index}) => lineFrom + index);
	for (let index = 0; index + 1 < places.length; index += 2) {
		const open = places[index] ?? 0;
		const close = places[index + 1] ?? 0;
		if (close >= caret) {
			return isAround ? {start: open, end: close + 1} : {start: open + 1, end: close};
		}
	}

	return undefined;
}

function insidePair(
	text: Text,
	caret: number,
	[open, close]: readonly [string, string],
	isAround: boolean,
): Selection | undefined {
	const start = searchPair(text, text.charAt(caret) === close ? caret - 1 : caret, -1, open, close);
	const end = start === undefined ? undefined : searchPair(text, start + 1, 1, close, open);
	if (start === undefined || end === undefined) {
		return undefined;
	}

	return isAround ? {start, end: end + 1} : {start: start + 1, end};
}

/** Returns the next `wanted` sign that has no partner on the way. */
function searchPair(text: Text, from: number, by: -1 | 1, wanted: string, partner: string): number | undefined {
	let depth = 0;
	for (let at = from; at >= 0 && at < text.length; at += by) {
		if (text.charAt(at) === wanted) {
			if (depth === 0) {
				return at;
			}

			depth--;
		} else if (text.charAt(at) === partner) {
			depth++;
		}
	}

	return undefined;
}

function paragraphAt(text: Text, caret: number, isAround: boolean): Selection {
	const isEmpty = (line: number) => lineEnd(text, line) === line;
	let start = lineStart(text, caret);
	const kind = isEmpty(start);
	while (start > 0 && isEmpty(lineStart(text, start - 1)) === kind) {
		start = lineStart(text, start - 1);
	}

	let end = lineEnd(text, caret);
	while (end < text.length && isEmpty(end + 1) === kind) {
		end = lineEnd(text, end + 1);
	}

	while (isAround && end < text.length && isEmpty(end + 1) !== kind) {
		end = lineEnd(text, end + 1);
	}

	return {start, end: Math.min(text.length, end + 1)};
}
