import {matchPath} from '../../contract/path.ts';
import type {Principal} from './authorize.ts';
import {refusal} from './refusal.ts';

type Asked = {
	readonly request: Request;
	readonly url: URL;
	/** Parameters of the path. */
	readonly parameters: Readonly<Record<string, string>>;
};

/** What a route gets that anybody may ask. */
export type OpenRequest = Asked;

/** What a route gets that takes a credential. */
export type RouteRequest = Asked & {readonly principal: Principal};

type Common = {
	readonly method: string;
	readonly path: string;
	/** Media types that its body may have, JSON alone where it says nothing; a form of a web page can send no JSON. */
	readonly accepts?: readonly string[];
};

type Handle<Request> = (request: Request) => Response | Promise<Response>;

/** One operation of the server. Everything but what says so takes a credential. */
export type Route =
	| (Common & {readonly auth: 'none'; readonly handle: Handle<OpenRequest>})
	| (Common & {readonly auth: 'credential'; readonly handle: Handle<RouteRequest>});

/** The whole server. */
export type App = (request: Request) => Promise<Response>;

type Found = {readonly route: Route; readonly parameters: Readonly<Record<string, string>>};

/** The route of a request, or how to refuse it: what is there takes another method, or there is nothing. */
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
