import {matchPath} from '../../contract/path.ts';
import type {Principal} from './authorize.ts';
import {refusal} from './refusal.ts';

type Asked = {
	readonly request: Request;
	readonly url: URL;
	readonly parameters: Readonly<Record<string, string>>;
};

/** A request to a route that needs no credential. */
export type OpenRequest = Asked;

/** A request to a route that needs a credential. */
export type RouteRequest = Asked & {readonly principal: Principal};

type Common = {
	readonly method: string;
	readonly path: string;
	/** Accepted media types of the body; JSON only by default. HTML forms can't send JSON. */
	readonly accepts?: readonly string[];
};

type Handle<Request> = (request: Request) => Response | Promise<Response>;

/** One operation of the server. A credential is required unless `auth` is `none`. */
export type Route =
	| (Common & {readonly auth: 'none'; readonly handle: Handle<OpenRequest>})
	| (Common & {readonly auth: 'credential'; readonly handle: Handle<RouteRequest>});

/** The whole server, as a function. */
export type App = (request: Request) => Promise<Response>;

type Found = {readonly route: Route; readonly parameters: Readonly<Record<string, string>>};

/** Returns the route of a request, or an error response: 405 if the path exists with other methods, 404 otherwise. */
export function findRoute(routes: readonly Route[], {method}: Request, url: URL): Found | Response {
	for (const route of routes) {
		const parameters = route.method === method ? matchPath(route.path, url.pathname) : undefined;
		if (parameters) {
			return {route, parameters};
		}
	}

	const here = routes.filter(route => matchPath(route.path, url.pathname));
	const allow = [...new Set(here.flatMap(({method: its}) => (its === 'GET' ? ['GET', 'HEAD'] : its)))].join(', ');
	return allow
		? refusal(url, 405, `${method} is not possible here.`, {headers: {allow}})
		: refusal(url, 404, `Not found: ${url.pathname}.`);
}
