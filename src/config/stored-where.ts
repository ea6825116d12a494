import {homedir} from 'node:os';
import {sep} from 'node:path';
import type {Secret} from '../core/secrets/secret.ts';

/** Where the text of a stored secret is. */
export type StoredIn = 'keychain' | 'file';

export function storedIn(held: Secret | undefined): StoredIn {
	return held?.keychainEntry === undefined ? 'file' : 'keychain';
}

/**
 * Returns a sentence that says where secrets were stored; `why` is the keychain's reason for refusing one. Undefined
 * without secrets, and if all are in the file without a reason.
 */
export function storedWhere(
	{file}: {readonly file: string},
	held: readonly (Secret | undefined)[],
	why: string | undefined,
): string | undefined {
	const secrets = held.filter(one => one !== undefined);
	const isInKeychain = secrets.some(one => storedIn(one) === 'keychain');
	if (why === undefined || secrets.length === 0) {
		return isInKeychain ? 'Saved to the keychain.' : undefined;
	}

	const saved = isInKeychain ? 'Saved partly to the keychain, partly' : 'Saved';
	return `${saved} to ${shortened(file)} (${asClause(why)}).`;
}

/** Returns a sentence as a clause of another one: without its period, in lower case. */
export function asClause(sentence: string): string {
	return sentence.replace(/\.$/, '').replace(/^(?:A|Can't|Couldn't|No|The|This) /, start => start.toLowerCase());
}

function shortened(path: string): string {
	const home = `${homedir()}${sep}`;
	return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
