import {mediaTypeOf} from '../kit/body.ts';
import {errorResponse} from '../kit/http-error.ts';
import type {Route} from '../kit/route.ts';
import {isAuthorityOf, parseAuthority, parseOrigin} from '../kit/server-url.ts';

/** The names of this machine. A page that rebinds its own name to 127.0.0.1 uses another (DNS rebinding). */
export const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Where clients reach a server. */
export type Reachable = {
	/** The names that it listens on. */
	readonly names: readonly string[];
	/** The port that it listens on; any if there is no listener. */
	readonly port: number | undefined;
	/** Where browsers and clients reach it, maybe through a proxy. */
	readonly publicUrl: string;
};

/**
 * Returns 403 for a request with an unknown Host or from a page of another origin (SAFETY 25); undefined if it is
 * allowed. A proxy may replace the Host, but not the Origin: pages of the public URL are always this server's own.
 */
export function checkHost(request: Request, url: URL, {names, port, publicUrl}: Reachable): Response | undefined {
	const given = request.headers.get('host') ?? '';
	const host = parseAuthority(given);
	const ownUrl = new URL(publicUrl);
	// The listener has no TLS: what reaches it directly is plain HTTP.
	const isDirect = host && names.includes(host.name) && (port === undefined || (host.port ?? 80) === port);
	if (!host || !(isDirect || isAuthorityOf(host, ownUrl))) {
		return errorResponse(url, 403, `This server does not answer to the host “${given}”.${proxyHint}`);
	}

	const sent = request.headers.get('origin');
	const origin = sent === null ? undefined : parseOrigin(sent);
	const own = [parseOrigin(ownUrl.origin), ...(isDirect ? [parseOrigin(`http://${given}`)] : [])];
	if (sent !== null && !(origin && own.some(each => each?.href === origin.href))) {
		return errorResponse(url, 403, `Pages of ${sent} may not use this server.${proxyHint}`);
	}

	return undefined;
}

const proxyHint = ' If it is behind a proxy, start it with --public-url and the URL that browsers use.';

const onlyJson: readonly string[] = ['application/json'];

/**
 * Returns 400 for a body of a media type that the operation doesn't accept. HTML forms of other sites could send such
 * bodies without a preflight request.
 */
export function checkMediaType(
	request: Request,
	url: URL,
	{accepts = onlyJson, mayLackBody = false}: Route,
): Response | undefined {
	const writes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
	if (mayLackBody && lacksBody(request)) {
		return undefined;
	}

	return writes && accepts.length > 0 && !accepts.includes(mediaTypeOf(request) ?? '')
		? errorResponse(url, 400, `Send the body as ${accepts.join(' or ')}.`)
		: undefined;
}

/** True if the headers of a request announce no body (RFC 9112, 6.3) and no media type of one. */
function lacksBody(request: Request): boolean {
	const {headers} = request;
	return (
		mediaTypeOf(request) === undefined &&
		!headers.has('transfer-encoding') &&
		Number(headers.get('content-length') ?? 0) === 0
	);
}
