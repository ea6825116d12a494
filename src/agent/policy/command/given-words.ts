import type {Command, Word} from 'unbash';
import type {GivenWord} from '../rules/match-command.ts';
import {readWord} from './word.ts';

/** Returns the words of a command as a rule that denies is compared with them. */
export function wordsOf({name, args}: Pick<Command, 'name' | 'args'>): readonly GivenWord[] {
	return [name, ...args].flatMap(item => (item?.type === 'Word' ? [givenWord(item)] : []));
}

function givenWord({value, text}: Word): GivenWord {
	const read = readWord(text);
	if (read && read.pattern === undefined) {
		return {value};
	}

	// A variable without quotes may become several words.
	const isOneWord = /^"[^"]*"$/.test(text) || !/[$`]/.test(text);
	return {value, start: isOneWord ? (/^"?([\w./:=@%+,-]*)/.exec(text)?.[1] ?? '') : ''};
}

/** Returns the name of a program without its folder, as a case-insensitive file system takes it. */
export function baseName(word: string): string {
	return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}
