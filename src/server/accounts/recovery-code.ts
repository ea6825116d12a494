import {randomInt} from 'node:crypto';
import {hashToken} from './token.ts';

/** Letters and digits that are not taken for one another. Sixteen of them are 79 bits, so that a fast hash is enough. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const length = 16;
const count = 10;

/** Makes the codes that stand in for an authenticator app that was lost: ten, as `k3wq-…`, each good once. */
export function makeRecoveryCodes(): readonly string[] {
	return Array.from({length: count}, () =>
		Array.from({length}, () => alphabet[randomInt(alphabet.length)])
			.join('')
			.replace(/.{4}(?!$)/g, '$&-'),
	);
}

/** What is stored of a recovery code, however it was typed; undefined for what cannot be one. */
export function hashRecoveryCode(typed: string): string | undefined {
	const letters = typed.slice(0, 64).toLowerCase().replace(/[\s-]/g, '');
	return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
		? hashToken(letters)
		: undefined;
}
