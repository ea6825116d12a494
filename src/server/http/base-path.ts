import {matchPath} from '../../contract/path.ts';
import {AppError} from '../../core/error.ts';
import type {Route, RouteTable} from '../kit/route.ts';
import {basePathOf} from '../kit/server-url.ts';

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

	return pathname.startsWith(`${base}/`) ? withPath(url, pathname.slice(base.length)) : url;
}

/** Throws AppError("usage") if the server couldn't tell whether a proxy kept the path of its public URL. */
export function checkBasePath(publicUrl: string, routes: readonly Route[]): void {
	const base = basePathOf(publicUrl);
	const clash = base && routes.find(({path}) => routes.some(other => matchPath(other.path, `${base}${path}`)));
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
