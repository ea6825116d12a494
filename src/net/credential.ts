import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import {isKeyText, type Secret} from '../core/secrets/secret.ts';

/** A secret, the only origin that it may be sent to, and the header for it (SAFETY 6). */
export type Credential = {
	readonly origin: Origin;
	readonly kind: 'bearer' | 'x-api-key' | 'x-goog-api-key';
	readonly secret: Secret;
};

/** Headers with credentials. Only the transport sets them, so that no caller can send one to another origin. */
const credentialHeaders: ReadonlySet<string> = new Set([
	'authorization',
	'x-api-key',
	'x-goog-api-key',
	'proxy-authorization',
	'cookie',
]);

/**
 * Returns the header with a credential for a request to `origin`; no header if the credential belongs to another origin.
 * Throws AppError("usage") if a header can't hold the key: an environment variable or a file may contain anything.
 */
export function credentialHeader(credential: Credential | undefined, origin: Origin): Readonly<Record<string, string>> {
	if (credential?.origin !== origin) {
		return {};
	}

	const {kind, secret} = credential;
	const text = secret.reveal();
	if (!isKeyText(text)) {
		throw new AppError(
			'usage',
			`Invalid API key for ${origin}: it has spaces or other characters that keys can't have.`,
			{
				hint: 'Check the variable that holds it, or store it again.',
			},
		);
	}

	return kind === 'bearer' ? {authorization: `Bearer ${text}`} : {[kind]: text};
}

/** Throws an Error if a caller sets a credential header, which is a bug. */
export function assertNoCredential(headers: Readonly<Record<string, string>>): void {
	const name = Object.keys(headers).find(header => credentialHeaders.has(header.toLowerCase()));
	if (name) {
		throw new Error(`Only the transport may set the header ${name}.`);
	}
}
