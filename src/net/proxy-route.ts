import {BlockList, isIP} from 'node:net';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isLoopback} from '../core/origin.ts';

/** A proxy, and the variable that names it. */
export type ProxyServer = {
	/** Without user and password. */
	readonly origin: string;
	/** The value of `Proxy-Authorization`; a credential (SAFETY 8). */
	readonly authorization: string | undefined;
	readonly variable: string;
};

/**
 * How requests reach a server. `tunnel`: through CONNECT, so that the proxy sees neither headers nor credentials. `forward`:
 * plain http, which the proxy reads and sends on; most refuse CONNECT for it.
 */
export type Route =
	| {readonly kind: 'direct'; readonly why: 'loopback' | 'no proxy' | 'NO_PROXY'}
	| {readonly kind: 'tunnel' | 'forward'; readonly proxy: ProxyServer};

/**
 * Returns the route to a server, as curl chooses it: `https_proxy` or `http_proxy` for its scheme, else `all_proxy`, in lower
 * or upper case, unless `no_proxy` names it; this machine needs none. An empty variable of the scheme means no proxy. Where a
 * web server runs us (CGI), a request can set `HTTP_PROXY`, which doesn't count then. Throws AppError("usage") for an invalid
 * proxy.
 */
export function routeTo(env: Environment, url: URL): Route {
	if (isLoopback(url)) {
		return {kind: 'direct', why: 'loopback'};
	}

	const isPlain = url.protocol === 'http:';
	const proxy = proxyOf(env, isPlain ? 'http' : 'https');
	if (!proxy) {
		return {kind: 'direct', why: 'no proxy'};
	}

	return isExcepted(url, exceptions(env))
		? {kind: 'direct', why: 'NO_PROXY'}
		: {kind: isPlain ? 'forward' : 'tunnel', proxy};
}

/** Returns true if the environment sets a proxy for a scheme. Throws as `routeTo` does. */
export function hasProxy(env: Environment): boolean {
	return proxyOf(env, 'https') !== undefined || proxyOf(env, 'http') !== undefined;
}

/** Returns true if requests to a server go through a proxy. Throws as `routeTo` does. */
export function isProxied(env: Environment, url: URL): boolean {
	return routeTo(env, url).kind !== 'direct';
}

/**
 * Returns the proxy for a scheme; undefined if there is none, or only an `ALL_PROXY` that isn't an HTTP proxy, as desktops set
 * it for SOCKS. Throws AppError("usage") for an invalid one.
 */
export function proxyOf(env: Environment, scheme: 'http' | 'https'): ProxyServer | undefined {
	const upper = `${scheme.toUpperCase()}_PROXY`;
	const isCgi = scheme === 'http' && env['REQUEST_METHOD'] !== undefined;
	const own = env[upper.toLowerCase()] ?? (isCgi ? undefined : env[upper]);
	const general = own === undefined ? 'ALL_PROXY' : upper;
	const variable = env[general.toLowerCase()] === undefined ? general : general.toLowerCase();
	const address = withScheme(own ?? proxyForAll(env));
	if (!address || (own === undefined && unusedProxy(env) !== undefined)) {
		return undefined;
	}

	const url = URL.canParse(address) ? new URL(address) : undefined;
	// An `@` behind the host, or a backslash, is part of a password or user that isn't encoded: the host is another one.
	if (/\\|^\w+:\/\/[^/?#]*[/?#].*@/.test(address)) {
		throw new AppError('usage', `Invalid ${variable}: its user or password has special characters.`, {
			hint: 'Write them as a URL has them: %5C for \\, %23 for #, %2F for /, %3F for ?, %40 for @.',
		});
	}

	if (url && /^https?:$/.test(url.protocol)) {
		return {origin: url.origin, authorization: authorizationOf(url), variable};
	}

	const socks = /^(socks\w*):\/\//i.exec(address)?.[1]?.toLowerCase();
	throw new AppError(
		'usage',
		socks
			? `${variable} names a ${socks} proxy, which isn't supported.`
			: `Invalid ${variable}: not an http or https URL.`,
		{hint: socks ? `Set ${variable} to an http proxy, or unset it.` : `Correct ${variable}, or unset it.`},
	);
}

/** Returns the scheme of an `ALL_PROXY` that isn't used because it isn't that of an HTTP proxy, such as `socks5`. */
export function unusedProxy(env: Environment): string | undefined {
	const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(withScheme(proxyForAll(env))) ?? [];
	return scheme === undefined || /^https?$/i.test(scheme) ? undefined : scheme.toLowerCase();
}

/** Returns the hosts that need no proxy, as they are written. */
export function exceptions(env: Environment): string {
	return (env['no_proxy'] || env['NO_PROXY'] || '').trim();
}

const proxyForAll = (env: Environment) => env['all_proxy'] ?? env['ALL_PROXY'] ?? '';

function withScheme(text: string): string {
	const address = text.trim();
	return address && !address.includes('://') ? `http://${address}` : address;
}

/** The user and password of a proxy as Basic (RFC 7617), also one of them alone, such as a token. A `%` may stand for itself. */
function authorizationOf({username, password}: URL): string | undefined {
	const decoded = (text: string) => decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
	const readable = (text: string) => {
		try {
			return decoded(text);
		} catch {
			return text;
		}
	};
	return username || password
		? `Basic ${Buffer.from(`${readable(username)}:${readable(password)}`).toString('base64')}`
		: undefined;
}

/**
 * Returns true if a list of hosts, parted by commas and blanks, has a server: `*` is all; a name stands for itself and all
 * below it, with or without `.` or `*.` before it and a dot behind it; an address for itself, with `/` for its network, or
 * with `.` or `.*` at its end for all that begin so. A port behind an entry must be that of the server.
 */
export function isExcepted(url: URL, list: string): boolean {
	const host = bare(url.hostname);
	const port = url.port || (url.protocol === 'http:' ? '80' : '443');
	return list
		.split(/[\s,]+/)
		.filter(Boolean)
		.some(entry => covers(entry.toLowerCase(), host, port));
}

const bare = (hostname: string) =>
	hostname
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '')
		.toLowerCase();

function covers(entry: string, host: string, port: string): boolean {
	if (entry === '*') {
		return true;
	}

	const [, bracketed, plain = '', wanted] = /^(?:\[([^\]]+)\](?=$|[:/])|([^:]*))(?::(\d+))?$/.exec(entry) ?? [
		'',
		undefined,
		entry,
		undefined,
	];
	if (wanted !== undefined && wanted !== port) {
		return false;
	}

	const written = bracketed ?? plain;
	return isIP(host) === 0 ? coversName(written, host) : coversAddress(written.replace(/^\[|\](?=\/|$)/g, ''), host);
}

function coversName(written: string, host: string): boolean {
	const name = written.replace(/^\*?\.+/, '').replace(/\.$/, '');
	const ascii = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;
	return name !== '' && (host === ascii || host.endsWith(`.${ascii}`));
}

function coversAddress(written: string, host: string): boolean {
	if (/^(?:\d{1,3}\.){1,3}\*?$/.test(written)) {
		return host.startsWith(written.replace(/\*$/, ''));
	}

	const [address = '', bits] = written.split('/');
	const family = isIP(address);
	const prefix = Number(bits ?? (family === 6 ? 128 : 32));
	if (family === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || prefix > (family === 6 ? 128 : 32)) {
		return false;
	}

	const network = new BlockList();
	network.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
	return network.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
