import {isWithin} from '../../core/origin.ts';
import {endToEnd, type Header, headersOf, type RawHeaders} from '../kit/hop-by-hop.ts';
import type {ServiceTarget} from './service-target.ts';

/** A token of this server, anywhere in a text. */
const anyToken = /sv[acdiprsx]_[\w-]{43}/;

export function hasToken(text: string): boolean {
	return anyToken.test(text);
}

/** What says where a request comes from: the service must get that of this server alone, if any. */
const origins =
	/^(?:forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|via)$/;

/** Where the credential of a request was, which decides what the service gets of it. */
export type CredentialPlace = 'bearer' | 'api-key' | 'cookie';

type RequestOptions = {
	readonly target: ServiceTarget;
	readonly credential: CredentialPlace;
	/** `host:port` as programs of the sandbox know the service. */
	readonly insideHost: string;
	/** The host and the scheme of the client's request. */
	readonly outsideHost: string;
	readonly scheme: string;
};

/** Returns the headers that a service gets: none with a credential or a cookie of this server (SAFETY 27). */
export function requestHeaders(
	raw: RawHeaders,
	{target, credential, insideHost, outsideHost, scheme}: RequestOptions,
): readonly Header[] {
	const kept = endToEnd(headersOf(raw)).flatMap(([name, value]): readonly Header[] => {
		const lower = name.toLowerCase();
		if (lower === 'host' || lower === 'x-api-key' || lower.startsWith('x-service-') || origins.test(lower)) {
			return [];
		}

		if (lower === 'authorization' && credential === 'bearer') {
			return [];
		}

		if (lower === 'cookie') {
			const cookies = serviceCookies(value, target, credential);
			return cookies === '' ? [] : [[name, cookies]];
		}

		if (lower === 'origin' && value.toLowerCase() === `${scheme}://${outsideHost}`.toLowerCase()) {
			return [[name, `http://${insideHost}`]];
		}

		return hasToken(value) ? [] : [[name, value]];
	});
	return [
		['host', insideHost],
		...kept,
		['x-forwarded-host', outsideHost],
		['x-forwarded-proto', scheme],
		...(target.base === '' ? [] : [['x-forwarded-prefix', target.base] as const]),
	];
}

/** Names of cookies of this server: of its pages on any port, and of the services of sandboxes. */
const ownCookie = /^(?:__Host-|__Secure-)?service(?:-.*)?$/i;

/**
 * Returns the cookies of a request that are the service's. A browser also sends those of everything else at the host, and so
 * none of its cookies is passed on unless the host is the service's own.
 */
function serviceCookies(value: string, {hasOwnHost}: ServiceTarget, credential: CredentialPlace): string {
	if (credential === 'cookie' && !hasOwnHost) {
		return '';
	}

	const pairs = value.split(';').map(pair => pair.trim());
	return pairs.filter(pair => !ownCookie.test(pair.split('=')[0]?.trim() ?? '') && !hasToken(pair)).join('; ');
}

/**
 * What rules more than one response: the origin, other paths of it, the browser, or the proxy in front of this server. nginx
 * takes orders from `X-Accel-…`, others from `X-Sendfile` and the like.
 */
const ruling = new RegExp(
	`^(?:${(
		'strict-transport-security public-key-pins.* expect-ct clear-site-data service-worker-allowed alt-svc alt-used nel ' +
			'report-to reporting-endpoints origin-agent-cluster accept-ch critical-ch set-login use-as-dictionary refresh ' +
			'speculation-rules supports-loading-mode activate-storage-access observe-browsing-topics www-authenticate server ' +
			'authentication-info x-accel-.* x-sendfile x-lighttpd-send-file x-reproxy-.* x-litespeed-.* x-service-.* date ' +
			'surrogate-control cdn-cache-control .*-cdn-cache-control access-control-.* attribution-.*'
	).replaceAll(' ', '|')})$`,
);

/** What a page of a service may do where other pages are at the same host: its origin is another one. */
const sandboxPolicy = 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads';

type ResponseOptions = {
	readonly target: ServiceTarget;
	readonly credential: CredentialPlace;
	/** The path of the request at the service. */
	readonly path: string;
	readonly insideHost: string;
	/** The origin of the client's request. */
	readonly outsideOrigin: string;
};

/** Returns the headers of a response for the client: none that rules anything else than this response (SAFETY 27). */
export function responseHeaders(
	raw: RawHeaders,
	{target, credential, path, insideHost, outsideOrigin}: ResponseOptions,
): readonly Header[] {
	const headers = headersOf(raw);
	const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
	const length = isChunked ? [] : headers.filter(([name]) => name.toLowerCase() === 'content-length');
	const kept = endToEnd(headers).flatMap(([name, value]): readonly Header[] => {
		const lower = name.toLowerCase();
		switch (lower) {
			case 'set-cookie': {
				const cookie = confineCookie(value, target, credential);
				return cookie === undefined ? [] : [[name, cookie]];
			}

			case 'location':
			case 'content-location': {
				const location = confineLocation(value, target, {path, insideHost, outsideOrigin});
				return location === undefined ? [] : [[name, location]];
			}

			case 'cache-control':
				return [[name, privateCaching(value)]];
			default:
				return ruling.test(lower) ? [] : [[name, value]];
		}
	});
	const has = (wanted: string) => kept.some(([name]) => name.toLowerCase() === wanted);
	const isStream = kept.some(
		([name, value]) => name.toLowerCase() === 'content-type' && value.includes('event-stream'),
	);
	return [
		...kept,
		...length,
		...(has('cache-control') ? [] : [['cache-control', 'no-store'] as const]),
		...(target.hasOwnHost
			? []
			: [['content-security-policy', sandboxPolicy] as const, ['x-content-type-options', 'nosniff'] as const]),
		// nginx would collect the events of a stream otherwise.
		...(isStream ? [['x-accel-buffering', 'no'] as const] : []),
	];
}

/** Returns rules for caches in which no shared one keeps what only the owner may see. */
function privateCaching(value: string): string {
	const kept = value
		.split(',')
		.map(rule => rule.trim())
		.filter(rule => !/^(?:public|private|s-maxage|proxy-revalidate)\b/i.test(rule));
	return ['private', ...kept.filter(Boolean)].join(', ');
}

/**
 * Returns a cookie of a service that goes to the service alone. A browser keeps it only at a host of the service's own: elsewhere
 * it could push out cookies of this server, and pages of another origin get none anyway.
 */
function confineCookie(
	value: string,
	{base, hasOwnHost}: ServiceTarget,
	credential: CredentialPlace,
): string | undefined {
	const [pair = '', ...attributes] = value.split(';').map(part => part.trim());
	const name = pair.split('=')[0]?.trim() ?? '';
	if ((credential === 'cookie' && !hasOwnHost) || ownCookie.test(name) || !pair.includes('=')) {
		return undefined;
	}

	if (hasOwnHost) {
		return [pair, ...attributes.filter(attribute => !/^domain\s*(?:=|$)/i.test(attribute))].join('; ');
	}

	const others = attributes.filter(attribute => !/^(?:domain|path)\s*(?:=|$)/i.test(attribute));
	const path = attributes.map(attribute => /^path\s*=\s*(\/[^;]*)$/i.exec(attribute)?.[1]).find(Boolean) ?? '/';
	const below = isInside(path, base) ? `${base}${path}` : `${base}/`;
	return /^__Host-/i.test(name) ? undefined : [pair, ...others, `Path=${below}`].join('; ');
}

function isInside(path: string, base: string): boolean {
	return isWithin(`http://host${base}${path}`, `http://host${base}/`);
}

/** Returns a reference to something of the service as its clients see it; undefined for one to anything else. */
function confineLocation(
	value: string,
	{base}: ServiceTarget,
	{path, insideHost, outsideOrigin}: Pick<ResponseOptions, 'path' | 'insideHost' | 'outsideOrigin'>,
): string | undefined {
	const inside = `http://${insideHost}${path}`;
	if (!URL.canParse(value, inside)) {
		return undefined;
	}

	const {origin, protocol, host, username, password, pathname, search, hash} = new URL(value, inside);
	const isInsideHost = /^https?:$/.test(protocol) && host === insideHost;
	const isPublic = origin === outsideOrigin;
	if (!(isInsideHost || isPublic) || username || password) {
		return undefined;
	}

	// Programs that know where they are published, from a header or a setting, name that path themselves.
	const isNamed = isPublic || (base !== '' && pathname.startsWith(`${base}/`));
	const outside = isNamed ? pathname : `${base}${pathname}`;
	// A path that begins with two slashes would be another host.
	return isWithin(`http://host${outside}`, `http://host${base}/`) && !/^\/[/\\]/.test(outside)
		? `${outside}${search}${hash}`
		: undefined;
}
