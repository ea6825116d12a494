import {randomInt} from 'node:crypto';
import {hashToken} from './token.ts';

/** Letters and digits that are not easily confused. Sixteen of them are 79 bits, so a fast hash is enough. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const length = 16;
const count = 10;

/** Creates ten one-time recovery codes, such as `k3wq-…`, for a lost authenticator app. */
export function createRecoveryCodes(): readonly string[] {
	return Array.from({length: count}, () =>
		Array.from({length}, () => alphabet[randomInt(alphabet.length)])
			.join('')
			.replace(/.{4}(?!$)/g, '$&-'),
	);
}

/** Returns the hash of a recovery code, however it is typed; undefined if it can't be one. */
export function hashRecoveryCode(typed: string): string | undefined {
	const letters = typed.slice(0, 64).toLowerCase().replace(/[\s-]/g, '');
	return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
		? hashToken(letters)
		: undefined;
}
