import {mask} from '../core/secret.ts';
import {readArguments} from './arguments.ts';
import {closest} from './closest.ts';
import {type Entry, isNoun} from './command.ts';
import {takeGlobalFlags} from './global-flags.ts';
import {findCommand} from './table.ts';
import {splitWords} from './words.ts';

/** True for a line that is a command: `/` and a word; a path such as `/usr/bin` is a message. */
export function isCommandLine(text: string): boolean {
	return /^\/(?:[a-z][a-z-]*|\?)(?:\s|$)/i.test(text.trimStart()) || text.trim() === '/';
}

/** The words of a slash line. Throws `usage` for an open quote. */
export function commandWords(line: string): readonly string[] {
	return splitWords(line.trim().slice(1));
}

/**
 * The line as it may be shown and kept: a secret argument becomes `***`, however it was given (SAFETY 11). Options of such
 * a command are left out, because a slip makes the secret the value of one. Of a line that cannot be read, such as one with
 * an open quote, only the name and the verb stay where a secret may follow them.
 */
export function withoutSecret(entries: readonly Entry[], line: string): string {
	try {
		const {command, path, rest} = findCommand(entries, takeGlobalFlags(commandWords(line)).rest);
		if (!command.secret) {
			return line;
		}

		const {[command.secret]: secret, ...values} = readArguments(path, command, rest);
		const places = (command.positional ?? []).flatMap(name => values[name] ?? []);
		return [`/${path}`, ...places, ...(secret === undefined ? [] : [mask])].join(' ');
	} catch {
		const [name = '', second = '', ...others] = line.trim().slice(1).split(/\s+/);
		if (!takesSecret(entries, name)) {
			return line;
		}

		const isNamed = second === '' || entries.some(entry => entry.name === name && hasVerb(entry, second));
		const shown = [`/${name}`, ...(isNamed ? [second] : []), ...(isNamed && others.length === 0 ? [] : [mask])];
		return shown.filter(Boolean).join(' ');
	}
}

function hasVerb(entry: Entry, word: string): boolean {
	return isNoun(entry) && entry.verbs.some(({name}) => name === word);
}

/** True where `word` is, or was probably meant to be, a command that takes a secret. */
function takesSecret(entries: readonly Entry[], word: string): boolean {
	return entries.some(
		entry =>
			(isNoun(entry) ? entry.verbs.some(({secret}) => secret) : entry.secret) &&
			closest(word.toLowerCase(), [entry.name, ...(entry.aliases ?? [])]),
	);
}
