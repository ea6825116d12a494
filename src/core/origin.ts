import {AppError} from './error.ts';

/**
 * What a server is known by: `scheme://host:port` in the form of `URL.origin`, and the path that it has there, without a
 * slash at the end. Credentials are bound to both (SAFETY 6): others may have other paths of the host.
 */
export type Origin = string & {readonly __brand: 'Origin'};

/** Returns what an http or https URL is bound to, without its query. Throws AppError("usage") for any other URL. */
export function originOf(url: string): Origin {
	const {origin, pathname} = parseServerUrl(url);
	return `${origin}${pathname.replace(/\/+$/, '')}` as Origin;
}

/**
 * Returns whether a URL is of a server: of its host and port, at its path or below. `/agents-evil` isn't below `/agents`, and
 * nothing is that a proxy may take out of it, such as `/agents/%2e%2e%2fother`.
 */
export function isWithin(url: string | URL, server: string): boolean {
	if (!URL.canParse(`${url}`) || !URL.canParse(server)) {
		return false;
	}

	const [{origin, pathname}, base] = [new URL(url), new URL(server)];
	const bases = readings(base.pathname);
	const isBelow = (path: string, folder = '') => `${path}/`.startsWith(`${folder.replace(/\/+$/, '')}/`);
	return (
		origin === base.origin &&
		// As it is, too: a server that doesn't join slashes takes `//agents` for another path.
		isBelow(pathname, base.pathname) &&
		readings(pathname).every((path, index) => isBelow(path, bases[index]))
	);
}

/** How often a path is decoded: by a proxy, by one behind it, and by the server. */
const mostDecodings = 3;

/** Returns what servers may read in a path that decode it, join slashes, or drop parameters of segments; without a slash at the end. */
function readings(path: string): readonly string[] {
	const found: string[] = [];
	let decoded = path;
	for (let count = 0; count <= mostDecodings; count++) {
		const plain = decoded
			.replaceAll('\\', '/')
			.replace(/;[^/]*/g, '')
			.replace(/\/{2,}/g, '/');
		found.push(new URL(`http://host${plain}`).pathname.replace(/\/+$/, ''));
		decoded = decoded.replace(/%(?:25|2e|2f|5c|3b)/gi, decodeURIComponent);
	}

	return found;
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

/** Returns the default name of a profile for a server: its host, its port if that is not the default, and its path if it has one. */
export function profileNameOf({host, pathname}: URL): string {
	return `${host}${pathname.replace(/\/+$/, '')}`;
}

function parse(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

function withScheme(text: string): string {
	const url = parse(`http://${text}`);
	return url && isLoopback(url) ? `http://${text}` : `https://${text}`;
}
