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
		return isInKeychain ? 'Kept in the keychain.' : undefined;
	}

	// Windows has no modes; there the folder is the user's own.
	const mode = process.platform === 'win32' ? '' : ' (0600)';
	const kept = isInKeychain ? 'Kept partly in the keychain, partly' : 'Kept';
	return `${kept} in ${shortened(file)}${mode}: ${asClause(why)}.`;
}

/** A sentence as the end of another one. */
export function asClause(sentence: string): string {
	return sentence.replace(/\.$/, '').replace(/^(?:A|The|This) /, start => start.toLowerCase());
}

function shortened(path: string): string {
	const home = `${homedir()}${sep}`;
	return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
