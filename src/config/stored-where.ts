import {homedir} from 'node:os';
import {sep} from 'node:path';
import type {Secret} from '../core/secrets/secret.ts';

/** Where the text of a stored secret lies. */
export type StoredIn = 'keychain' | 'file';

export function storedIn(held: Secret | undefined): StoredIn {
	return held?.keychainEntry === undefined ? 'file' : 'keychain';
}

/**
 * Says where secrets were stored, in a sentence; `why` is what the keychain said where it did not take one.
 * Undefined without secrets, and where nothing is known of a keychain.
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

/** A sentence as the end of another one. */
export function asClause(sentence: string): string {
	return sentence.replace(/\.$/, '').replace(/^(?:A|The|This) /, start => start.toLowerCase());
}

function shortened(path: string): string {
	const home = `${homedir()}${sep}`;
	return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
