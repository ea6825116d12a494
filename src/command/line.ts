import {splitWords} from './words.ts';

/** True for a command line: `/` and a word. A path such as `/usr/bin` is a message. */
export function isCommandLine(text: string): boolean {
	return /^\/(?:[a-z][a-z-]*|\?)(?:\s|$)/i.test(text.trimStart()) || text.trim() === '/';
}

/** Returns the words of a slash line. Throws AppError("usage") for an open quote. */
export function commandWords(line: string): readonly string[] {
	return splitWords(line.trim().slice(1));
}
