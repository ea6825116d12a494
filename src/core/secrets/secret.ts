import {inspect} from 'node:util';

/** What stands where a secret would. */
export const mask = '***';

/** True for what may be a key or a token: it has to go into an HTTP header as it is, so that it is visible ASCII alone. */
export function isKeyText(text: string): boolean {
	return /^[\x21-\x7e]+$/.test(text);
}

/**
 * A credential that cannot be printed by accident: every way to a string gives `***` (SAFETY 8).
 * `reveal()` is for the writer of HTTP headers, the form of a login, what masks its echo, and the store of credentials alone.
 */
export type Secret = {
	reveal: () => string;
	/** The last four characters, or nothing of a secret too short to show any. */
	readonly last4: string;
	/** True for the same credential. */
	readonly equals: (other: Secret) => boolean;
	/** The name of its entry, where the text is in the keychain and not here: `reveal()` is then a bug, open it first. */
	readonly keychainEntry?: string;
	toString: () => string;
	toJSON: () => string;
};

export function secret(value: string): Secret {
	return sealed({
		reveal: () => value,
		last4: value.length >= 12 ? value.slice(-4) : '',
		equals: other => other.keychainEntry === undefined && other.reveal() === value,
	});
}

/** A secret whose text is in the keychain under that name; `last4` is what may be shown of it. */
export function keychainSecret(entry: string, last4: string): Secret {
	return sealed({
		keychainEntry: entry,
		last4,
		reveal: () => {
			throw new Error('A secret of the keychain was used before it was opened.');
		},
		// An entry is never changed, so that the same one is the same credential.
		equals: other => other.keychainEntry === entry,
	});
}

function sealed(held: Omit<Secret, 'toString' | 'toJSON'>): Secret {
	const shown = {...held, toString: () => mask, toJSON: () => mask};
	// The value lives in the closure and in a non-enumerable reveal, so that spreading and inspecting show nothing.
	Object.defineProperty(shown, 'reveal', {enumerable: false});
	Object.defineProperty(shown, inspect.custom, {value: () => mask, enumerable: false});
	return Object.freeze(shown);
}
