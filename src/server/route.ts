import {matchPath} from '../contract/path.ts';
import type {ValidationErrorItem} from '../contract/problem.ts';
import {refusal} from './refusal.ts';

export type RouteRequest = {
	readonly request: Request;
	readonly url: URL;
	/** Parameters of the path. */
	readonly parameters: Readonly<Record<string, string>>;
};

/** One operation of the server. Everything but what says so takes a token. */
export type Route = {
	readonly method: string;
	readonly path: string;
	readonly auth: 'bearer' | 'none';
	readonly handle: (request: RouteRequest) => Response | Promise<Response>;
};

/** Finds the route of a request and asks for its token first, so that a stranger learns nothing of what there is. */
export function findRoute(
	routes: readonly Route[],
	request: Request,
	url: URL,
	isAuthorized: (request: Request) => boolean,
): {readonly route: Route; readonly parameters: Readonly<Record<string, string>>} | Response {
	const here = routes.flatMap(route => {
		const parameters = matchPath(route.path, url.pathname);
		return parameters ? [{route, parameters}] : [];
	});
	const found = here.find(({route}) => route.method === request.method);
	if (found?.route.auth !== 'none' && !isAuthorized(request)) {
		return refusal(url, 401, 'This needs a token of this server, as Authorization: Bearer.', {
			headers: {'www-authenticate': 'Bearer'},
		});
	}

	if (found) {
		return found;
	}

	const allow = here.map(({route}) => route.method).join(', ');
	return allow
		? refusal(url, 405, `${request.method} is not possible here.`, {headers: {allow}})
		: refusal(url, 404, `There is nothing at ${url.pathname}.`);
}

type Issue = {readonly path: readonly PropertyKey[]; readonly message: string; readonly code?: string};

/** The places of a request that did not fit its schema, as the specification words them. */
export function validationErrors(part: 'body' | 'query', issues: readonly Issue[]): readonly ValidationErrorItem[] {
	return issues.map(({path, message, code}) => ({
		loc: [part, ...path.map(key => (typeof key === 'number' ? key : String(key)))],
		msg: message,
		type: code ?? 'invalid',
	}));
}
