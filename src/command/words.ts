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
	const words: string[] = [];
	let word: string | undefined;
	let quote = '';
	for (let index = 0; index < line.length; index++) {
		const character = line.charAt(index);
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
				words.push(word);
			}

			word = undefined;
		} else if (character === '\\' && index + 1 < line.length) {
			index++;
			word = (word ?? '') + line.charAt(index);
		} else {
			word = (word ?? '') + character;
		}
	}

	if (quote) {
		throw new AppError('usage', `The quote ${quote} is never closed.`, {
			hint: 'Close it, or put a backslash before it.',
		});
	}

	return word === undefined ? words : [...words, word];
}
