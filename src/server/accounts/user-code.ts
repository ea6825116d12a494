import {randomInt} from 'node:crypto';

/**
 * Consonants that are not easily confused; without vowels they form no words (RFC 8628, section 6.1). Eight of them are
 * 34 bits, which is enough because users must be logged in and attempts are limited.
 */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

/** Creates the code that a user types to approve a login, e.g. `WDJB-MJHT`. */
export function createUserCode(): string {
	const letters = Array.from({length}, () => alphabet[randomInt(alphabet.length)]).join('');
	return formatUserCode(letters);
}

/**
 * Normalizes a code as a person types it, in any case, with or without dashes and spaces. Returns undefined if it can't
 * be one.
 */
export function parseUserCode(typed: string): string | undefined {
	const letters = typed
		.slice(0, 64)
		.toUpperCase()
		.replace(/[^A-Z\d]/g, '');
	return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
		? formatUserCode(letters)
		: undefined;
}

function formatUserCode(letters: string): string {
	return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`;
}
