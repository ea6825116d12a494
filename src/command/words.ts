import {AppError} from '../core/error.ts';

/**
 * True for text that stands as one word on every command line, as it is: without a blank, a quote or what a terminal or a
 * shell would read in another way, and no flag (SAFETY 1).
 */
export function isPlainWord(text: string): boolean {
	return /^(?!-)[^\s'"`\\$\p{C}]+$/u.test(text);
}

/**
 * Splits a slash line as a shell would: blanks part words, quotes keep them, a backslash keeps the next character.
 * Throws `usage` for a quote that is never closed.
 */
export function splitWords(line: string): string[] {
	const {words, open} = scan(line);
	if (open) {
		throw new AppError('usage', `The quote ${open} is never closed.`, {
			hint: 'Close it, or put a backslash before it.',
		});
	}

	return words.map(({text}) => text);
}

/** The words of a line that is being typed, split as `splitWords` does, and the last one, which may end in an open quote. */
export type TypedWords = {
	readonly before: readonly string[];
	/** What the last word says so far, empty behind a blank. */
	readonly word: string;
	/** Where it begins in the line, with its quote. */
	readonly start: number;
	/** The quote that it begins with, empty for none. */
	readonly quote: string;
};

/** Reads what is typed so far. Never throws. */
export function lastWord(line: string): TypedWords {
	const {words, ended} = scan(line);
	const last = ended ? undefined : words.at(-1);
	const before = (last ? words.slice(0, -1) : words).map(({text}) => text);
	const start = last?.start ?? line.length;
	return {before, word: last?.text ?? '', start, quote: /^["']/.exec(line.slice(start))?.[0] ?? ''};
}

type Word = {readonly text: string; readonly start: number};

/** `open` is the quote that is never closed, `ended` is true where the last word is over or there is none. */
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
