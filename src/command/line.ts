import {type Entry, isNoun} from './context.ts';
import {type FlaggedWords, takeGlobalFlags} from './global-flags.ts';
import {unknownCommand} from './table.ts';
import {splitWords} from './words.ts';

/** Returns the name of the command that a slash line begins with, as typed. */
export function commandName(line: string): string {
	return /^\/(\S*)/.exec(line.trim())?.[1] ?? '';
}

/**
 * Returns the words of a slash line without the flags of every command. What follows the name of a command that takes the
 * line is one word. Throws AppError("usage") for an open quote, a flag without its value, and a line without a slash.
 */
export function readLine(line: string, entries: readonly Entry[]): FlaggedWords {
	const typed = line.trim();
	if (!typed.startsWith('/')) {
		throw unknownCommand(typed, entries);
	}

	const name = commandName(typed);
	const entry = entries.find(each => each.name === name);
	if (!entry || isNoun(entry) || !entry.takesLine) {
		return takeGlobalFlags(splitWords(typed.slice(1)));
	}

	const behind = typed.slice(name.length + 1).trim();
	return takeGlobalFlags([name, ...(behind ? ['--', behind] : [])]);
}
