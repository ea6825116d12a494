import {inspect} from 'node:util';

const mask = '***';

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
	const shown = {
		reveal: () => value,
		last4: value.length >= 12 ? value.slice(-4) : '',
		equals: (other: Secret) => other.keychainEntry === undefined && other.reveal() === value,
		toString: () => mask,
		toJSON: () => mask,
	};
	// The value lives in the closure and in a non-enumerable reveal, so that spreading and inspecting show nothing.
	Object.defineProperty(shown, 'reveal', {enumerable: false});
	Object.defineProperty(shown, inspect.custom, {value: () => mask, enumerable: false});
	return Object.freeze(shown);
}
