import {matchPath} from '../../contract/path.ts';
import {AppError} from '../../core/error.ts';
import {mediaTypeOf} from '../kit/body.ts';
import {errorResponse} from '../kit/http-error.ts';
import type {RouteTable, ServerRoute} from '../kit/route.ts';
import {basePathOf, isAuthorityOf, parseAuthority, parseOrigin} from '../kit/server-url.ts';
import {servicesPath} from '../sandboxes/service-urls.ts';
import {compareVersions} from '../tasks/task-reference.ts';

/** The names of this machine. A page that rebinds its own name to 127.0.0.1 uses another (DNS rebinding). */
const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns the names of a server that listens on `names`, without a port, and on those of this machine, in canonical form. */
export function canonicalNames(names: readonly string[]): readonly string[] {
	return [...loopbackNames, ...names].flatMap(name => parseAuthority(name)?.name ?? []);
}

/** Where clients reach a server. */
type Reachable = {
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
	{accepts = onlyJson, mayLackBody = false}: ServerRoute,
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

/**
 * Returns 426 for a client of this program older than `minimum`. Programs with another user agent than
 * `service/<version>`, such as browsers, are accepted.
 */
export function checkClientVersion(request: Request, url: URL, minimum: string | undefined): Response | undefined {
	const [, version] = /^service\/(\d\S*)/.exec(request.headers.get('user-agent') ?? '') ?? [];
	return minimum === undefined || version === undefined || compareVersions(version, minimum) >= 0
		? undefined
		: errorResponse(url, 426, `This server needs service ${minimum} or newer, and this is ${version}.`);
}

const wellKnown = '/.well-known/';

/**
 * Returns the URL of a request as the routes know it. A proxy in front of a server with a path may keep the path or take it
 * away; metadata may be asked for with the path at its end (RFC 8414, section 3.1).
 */
export function routedUrl(url: URL, publicUrl: string, routes: RouteTable): URL {
	const base = basePathOf(publicUrl);
	const {pathname} = url;
	if (!base || isRoute(pathname, routes)) {
		return url;
	}

	if (pathname.startsWith(wellKnown) && pathname.endsWith(base)) {
		return withPath(url, pathname.slice(0, -base.length));
	}

	return `${pathname}/`.startsWith(`${base}/`) ? withPath(url, pathname.slice(base.length) || '/') : url;
}

/** Throws AppError("usage") if the server couldn't tell whether a proxy kept the path of its public URL. */
export function checkBasePath(publicUrl: string, routes: readonly ServerRoute[]): void {
	const base = basePathOf(publicUrl);
	const clash =
		`${base}/`.startsWith(`${servicesPath}/`) ||
		(base && routes.find(({path}) => routes.some(other => matchPath(other.path, `${base}${path}`))));
	if (clash) {
		throw new AppError('usage', `The server has pages of its own at ${base}.`, {
			hint: 'Choose another path for --public-url, such as /agents.',
		});
	}
}

function isRoute(pathname: string, routes: RouteTable): boolean {
	return (routes.get(pathname.split('/').length) ?? []).some(({path}) => matchPath(path, pathname));
}

function withPath(url: URL, pathname: string): URL {
	const routed = new URL(url);
	routed.pathname = pathname;
	return routed;
}
