import {AppError} from '../core/error.ts';

/**
 * True for text that is one word of a slash line without quoting: no space, no quote, no character that a terminal interprets,
 * and not a flag (SAFETY 1).
 */
export function isPlainWord(text: string): boolean {
	return /^(?!-)[^\s'"`\\$\p{C}]+$/u.test(text);
}

/**
 * Splits a slash line as a shell would: spaces separate words, quotes keep them, a backslash keeps the next character.
 * Throws AppError("usage") for an unclosed quote.
 */
export function splitWords(line: string): string[] {
	const {words, open} = scan(line);
	if (open) {
		throw new AppError('usage', `Unclosed quote: ${open}`, {
			hint: 'Close it, or put a backslash before it.',
		});
	}

	return words.map(({text}) => text);
}

/** The words of an unfinished line, split as `splitWords` does. The last one may have an open quote. */
type TypedWords = {
	readonly before: readonly string[];
	/** The last word so far; '' after a space. */
	readonly word: string;
	/** Where it starts in the line, with its quote. */
	readonly start: number;
	/** The quote that it starts with, '' for none. */
	readonly quote: string;
};

/** Splits an unfinished line. Never throws. */
export function lastWord(line: string): TypedWords {
	const {words, ended} = scan(line);
	const last = ended ? undefined : words.at(-1);
	const before = (last ? words.slice(0, -1) : words).map(({text}) => text);
	const start = last?.start ?? line.length;
	return {before, word: last?.text ?? '', start, quote: /^["']/.exec(line.slice(start))?.[0] ?? ''};
}

type Word = {readonly text: string; readonly start: number};

/** `open` is the unclosed quote, `ended` is true if the last word has ended or there is none. */
function scan(line: string): {readonly words: readonly Word[]; readonly open: string; readonly ended: boolean} {
	const words: Word[] = [];
	let word: string | undefined;
	let start = 0;
	let quote = '';
	for (let index = 0; index < line.length; index++) {
		const character = line.charAt(index);
		start = word === undefined ? index : start;
		if (quote) {
			if (character === quote) {
				quote = '';
			} else if (character === '\\' && quote === '"' && /["\\]/.test(line.charAt(index + 1))) {
				index++;
				word += line.charAt(index);
			} else {
				word += character;
			}
		} else if (character === '"' || character === "'") {
			quote = character;
			word ??= '';
		} else if (/\s/.test(character)) {
			if (word !== undefined) {
				words.push({text: word, start});
			}

			word = undefined;
		} else if (character === '\\' && index + 1 < line.length) {
			index++;
			word = (word ?? '') + line.charAt(index);
		} else {
			word = (word ?? '') + character;
		}
	}

	return {words: word === undefined ? words : [...words, {text: word, start}], open: quote, ended: word === undefined};
}
