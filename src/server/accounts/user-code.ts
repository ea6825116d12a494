import {randomInt} from 'node:crypto';

/**
 * Letters that are not taken for one another, without vowels, so that no word comes of them (RFC 8628 section 6.1). Eight
 * are 34 bits: enough while a person has to be signed in to try one and may not try often.
 */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

/** Creates the code that a user types to approve a login, e.g. `WDJB-MJHT`. */
export function makeUserCode(): string {
	const letters = Array.from({length}, () => alphabet[randomInt(alphabet.length)]).join('');
	return showUserCode(letters);
}

/**
 * Reads a code as a person types it, in any case, with or without dashes and spaces, and gives it as `makeUserCode` does;
 * undefined for what cannot be one.
 */
export function readUserCode(typed: string): string | undefined {
	const letters = typed
		.slice(0, 64)
		.toUpperCase()
		.replace(/[^A-Z\d]/g, '');
	return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
		? showUserCode(letters)
		: undefined;
}

function showUserCode(letters: string): string {
	return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`;
}
