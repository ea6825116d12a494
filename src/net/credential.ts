import {AppError} from '../core/error.ts';
import {isWithin, type Origin} from '../core/origin.ts';
import {isKeyText, type Secret, secret} from '../core/secrets/secret.ts';

/** A secret, the only server that it may be sent to, and the header for it (SAFETY 6). */
export type Credential = {
	readonly origin: Origin;
	/** `headers`: the secret is whole headers, one a line, as `name: value`. */
	readonly kind: 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'headers';
	readonly secret: Secret;
};

/** Headers with credentials. Only the transport sets them, so that no caller can send one to another server. */
const credentialHeaders: ReadonlySet<string> = new Set([
	'authorization',
	'x-api-key',
	'x-goog-api-key',
	'proxy-authorization',
	'cookie',
]);

/**
 * Returns the header with a credential for a request to `url`; no header if the credential belongs to another server.
 * Throws AppError("usage") if a header can't hold the key: an environment variable or a file may contain anything.
 */
export function credentialHeader(
	credential: Credential | undefined,
	url: string | URL,
): Readonly<Record<string, string>> {
	if (!credential || !isWithin(url, credential.origin)) {
		return {};
	}

	const {kind, secret} = credential;
	const text = secret.reveal();
	if (kind === 'headers') {
		return headersOf(text);
	}

	if (!isKeyText(text)) {
		throw new AppError(
			'usage',
			`Invalid API key for ${credential.origin}: it has spaces or other characters that keys can't have.`,
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

/** Returns a credential of several headers for one server. The values must be checked: visible ASCII, spaces and tabs. */
export function headersCredential(origin: Origin, headers: Readonly<Record<string, string>>): Credential | undefined {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	return lines.length > 0 ? {origin, kind: 'headers', secret: secret(lines.join('\n'))} : undefined;
}

function headersOf(text: string): Readonly<Record<string, string>> {
	return Object.fromEntries(
		text.split('\n').map(line => {
			const colon = line.indexOf(': ');
			return [line.slice(0, colon), line.slice(colon + 2)];
		}),
	);
}
