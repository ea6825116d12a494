import type {Origin} from '../core/origin.ts';
import type {Secret} from '../core/secret.ts';

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

/** The header of the credential for a request to `origin`; none for any other origin than its own. */
export function credentialHeader(credential: Credential | undefined, origin: Origin): Readonly<Record<string, string>> {
	if (credential?.origin !== origin) {
		return {};
	}

	const {kind, secret} = credential;
	return kind === 'bearer' ? {authorization: `Bearer ${secret.reveal()}`} : {[kind]: secret.reveal()};
}

/** Throws for a caller that writes a credential header by itself, which is a bug. */
export function assertNoCredential(headers: Readonly<Record<string, string>>): void {
	const name = Object.keys(headers).find(header => credentialHeaders.has(header.toLowerCase()));
	if (name) {
		throw new Error(`The header ${name} is written by the transport alone.`);
	}
}
