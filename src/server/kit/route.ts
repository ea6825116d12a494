import {matchPath} from '../../contract/path.ts';
import {groupBy} from '../../core/group-by.ts';
import type {Principal} from './authorize.ts';
import {errorResponse} from './http-error.ts';
import type {RequestScope} from './scope.ts';

type BaseRequest = {
	readonly request: Request;
	readonly url: URL;
	readonly parameters: Readonly<Record<string, string>>;
};

/** A request to a route that needs no credential. */
export type PublicRequest = BaseRequest;

/** A request to a route that needs a credential. */
export type RouteRequest = BaseRequest & {
	readonly principal: Principal;
	/** Whether the caller administers the whole server. */
	readonly isAdministrator: boolean;
	/** What the path names, found together with the caller; undefined if it names nothing that they have access to. */
	readonly scope: RequestScope | undefined;
};

type BaseRoute = {
	readonly method: string;
	readonly path: string;
	/** Accepted media types of the body; JSON only by default. HTML forms can't send JSON. */
	readonly accepts?: readonly string[];
	/** True if a request may come without a body, and then without its media type. */
	readonly mayLackBody?: boolean;
};

type Handler<Request> = (request: Request) => Response | Promise<Response>;

/** One operation of the server. A credential is required unless `auth` is `none`. */
export type ServerRoute =
	| (BaseRoute & {readonly auth: 'none'; readonly handle: Handler<PublicRequest>})
	| (BaseRoute & {readonly auth: 'credential'; readonly handle: Handler<RouteRequest>});

/** The whole server, as a function. */
export type App = (request: Request) => Promise<Response>;

/** Routes by the number of segments of their paths, so that a request is compared with few of them. */
export type RouteTable = ReadonlyMap<number, readonly ServerRoute[]>;

/** Returns the table of all routes of a server. */
export function routeTable(routes: readonly ServerRoute[]): RouteTable {
	return groupBy(routes, ({path}) => countSegments(path));
}

function countSegments(path: string): number {
	return path.split('/').length;
}

type Found = {readonly route: ServerRoute; readonly parameters: Readonly<Record<string, string>>};

/** Returns the route of a request, or an error response: 405 if the path exists with other methods, 404 otherwise. */
export function findRoute(table: RouteTable, {method}: Request, url: URL): Found | Response {
	const routes = table.get(countSegments(url.pathname)) ?? [];
	for (const route of routes) {
		const parameters = route.method === method ? matchPath(route.path, url.pathname) : undefined;
		if (parameters) {
			return {route, parameters};
		}
	}

	const matching = routes.filter(route => matchPath(route.path, url.pathname));
	const allow = [
		...new Set(matching.flatMap(({method: allowed}) => (allowed === 'GET' ? ['GET', 'HEAD'] : allowed))),
	].join(', ');
	return allow
		? errorResponse(url, 405, `${method} is not possible here.`, {headers: {allow}})
		: errorResponse(url, 404, `Not found: ${url.pathname}.`);
}
