import {AppError} from './error.ts';

/** `scheme://host:port` in the form of `URL.origin`; credentials are bound to it (SAFETY 6). */
export type Origin = string & {readonly __brand: 'Origin'};

/** Returns the origin of an http or https URL. Throws AppError("usage") for any other URL. */
export function originOf(url: string): Origin {
	return parseServerUrl(url).origin as Origin;
}

/**
 * Parses a server address as typed: a missing scheme means https, or http for a loopback host. Throws AppError("usage")
 * for any other scheme, and for an address with a user name or password.
 */
export function parseServerUrl(input: string): URL {
	const text = input.trim();
	const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : withScheme(text));
	// An invalid address may hold a password too, so the error must not repeat it.
	if (url ? url.username || url.password : text.includes('@')) {
		throw new AppError('usage', 'The URL must not contain a user name or password.', {
			hint: 'Use the URL alone; log in with an API key.',
		});
	}

	const isHttp = /^https?:/i.test(url?.protocol ?? text);
	if (!url || !isHttp) {
		throw new AppError('usage', `Invalid URL “${input}”${isHttp ? '' : ': not http or https'}.`, {
			hint: 'Use https://host or http://127.0.0.1:8700.',
		});
	}

	return url;
}

/** True for text that begins as a URL of a server does: a user may give one in place of a key. */
export function isUrl(text: string): boolean {
	return /^https?:\/\//i.test(text.trim());
}

/** True for addresses that never leave this machine, to which plain http is safe (SAFETY 9). */
export function isLoopback(url: URL): boolean {
	const host = url.hostname.replace(/^\[|\]$/g, '');
	return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The warning when plain http to another machine is allowed (SAFETY 9). */
export const plainHttpWarning = 'Using plain HTTP: anyone on the network can read keys and messages.';

/** Returns the default name of a profile for a server: its host, and its port if that is not the default. */
export function profileNameOf(url: URL): string {
	return url.host;
}

function parse(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

function withScheme(text: string): string {
	const url = parse(`http://${text}`);
	return url && isLoopback(url) ? `http://${text}` : `https://${text}`;
}
