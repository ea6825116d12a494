import type {Entry} from './command.ts';
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

/** The line as it may be shown and kept: a secret argument becomes `***` (SAFETY 11). */
export function withoutSecret(entries: readonly Entry[], line: string): string {
	try {
		const {command, path, rest} = findCommand(entries, commandWords(line));
		const index = command.secret ? (command.positional ?? []).indexOf(command.secret) : -1;
		const places = rest.filter(word => !word.startsWith('-'));
		const secret = index >= 0 ? places[index] : undefined;
		return secret === undefined ? line : `/${path} ${rest.map(word => (word === secret ? '***' : word)).join(' ')}`;
	} catch {
		return line;
	}
}
