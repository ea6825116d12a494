import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import {isKeyText, type Secret} from '../core/secrets/secret.ts';

/** A secret with the one origin that it may be sent to, and how (SAFETY 6). */
export type Credential = {
	readonly origin: Origin;
	readonly kind: 'bearer' | 'x-api-key' | 'x-goog-api-key';
	readonly secret: Secret;
};

/** Headers that carry credentials: only the transport writes them, so that no caller can send one astray. */
const credentialHeaders: ReadonlySet<string> = new Set([
	'authorization',
	'x-api-key',
	'x-goog-api-key',
	'proxy-authorization',
	'cookie',
]);

/**
 * The header of the credential for a request to `origin`; none for any other origin than its own. Throws `usage` for what
 * no header can carry: a variable of the environment or a file may hold anything.
 */
export function credentialHeader(credential: Credential | undefined, origin: Origin): Readonly<Record<string, string>> {
	if (credential?.origin !== origin) {
		return {};
	}

	const {kind, secret} = credential;
	const text = secret.reveal();
	if (!isKeyText(text)) {
		throw new AppError('usage', `The key for ${origin} has spaces, line ends or other characters that no key has.`, {
			hint: 'Check the variable that holds it, or store it again.',
		});
	}

	return kind === 'bearer' ? {authorization: `Bearer ${text}`} : {[kind]: text};
}

/** Throws for a caller that writes a credential header by itself, which is a bug. */
export function assertNoCredential(headers: Readonly<Record<string, string>>): void {
	const name = Object.keys(headers).find(header => credentialHeaders.has(header.toLowerCase()));
	if (name) {
		throw new Error(`The header ${name} is written by the transport alone.`);
	}
}
