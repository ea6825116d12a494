import {inspect} from 'node:util';

/** Replaces a secret in any output. */
export const mask = '***';

/** True for text that may be a key or a token: only visible ASCII, since it is sent in an HTTP header. */
export function isKeyText(text: string): boolean {
	return /^[\x21-\x7e]+$/.test(text);
}

/**
 * A credential that cannot be printed by accident: every conversion to a string gives `***` (SAFETY 8).
 * Only the writer of HTTP headers, the login form, the echo mask and the credential store may call `reveal()`.
 */
export type Secret = {
	reveal: () => string;
	/** The last four characters; empty if the secret is too short to show any. */
	readonly last4: string;
	/** True for the same credential. */
	readonly equals: (other: Secret) => boolean;
	/** The keychain entry that holds the text. Open it first: calling `reveal()` here is a bug. */
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

/** Returns a secret whose text is in the keychain; `last4` may be shown. */
export function keychainSecret(entry: string, last4: string): Secret {
	return sealed({
		keychainEntry: entry,
		last4,
		reveal: () => {
			throw new Error('A secret of the keychain was used before it was opened.');
		},
		// An entry never changes, so the same entry is the same credential.
		equals: other => other.keychainEntry === entry,
	});
}

function sealed(held: Omit<Secret, 'toString' | 'toJSON'>): Secret {
	const shown = {...held, toString: () => mask, toJSON: () => mask};
	// The value is in a closure and `reveal` is non-enumerable, so that spreading and inspecting show nothing.
	Object.defineProperty(shown, 'reveal', {enumerable: false});
	Object.defineProperty(shown, inspect.custom, {value: () => mask, enumerable: false});
	return Object.freeze(shown);
}
