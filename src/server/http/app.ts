import {oauthRoutes} from '../accounts/oauth/oauth-routes.ts';
import {artifactRoutes} from '../artifacts/artifact-routes.ts';
import {isDatabaseFault, isUncertain} from '../database/fault.ts';
import {type DemoOptions, demoRoutes} from '../demo-model/demo-routes.ts';
import {contractRoutes} from '../handlers/handler.ts';
import {handlers} from '../handlers/handlers.ts';
import type {Services} from '../handlers/services.ts';
import {errorResponse, HttpError} from '../kit/http-error.ts';
import {type Log, stackOf} from '../kit/log.ts';
import {type App, findRoute, type RouteTable, routeTable} from '../kit/route.ts';
import {placeNames} from '../kit/scope.ts';
import {parseAuthority} from '../kit/server-url.ts';
import {pageRoutes} from '../pages/page-routes.ts';
import {authenticate} from './authenticate.ts';
import {withHead} from './head.ts';
import {healthRoutes} from './health.ts';
import {
	checkBasePath,
	checkClientVersion,
	checkHost,
	checkMediaType,
	loopbackNames,
	routedUrl,
} from './request-checks.ts';

type Options = {
	readonly services: Services;
	/** Host names that it listens on besides the loopback names, without a port. */
	readonly names?: readonly string[];
	/** The port that it listens on; without one, as in tests, a Host may have any. */
	readonly port?: () => number;
	readonly demo?: DemoOptions;
	/** The oldest client version that this server accepts. */
	readonly minimumClient?: string | undefined;
};

type Server = {
	readonly services: Services;
	readonly routes: RouteTable;
	/** Every name that the server listens on, in canonical form. */
	readonly names: readonly string[];
	readonly port: (() => number) | undefined;
	readonly minimumClient: string | undefined;
};

/**
 * Creates the server as a function of a request, so that tests need no port. Throws AppError("usage") for a public URL with
 * the path of a page. The function never throws: an unexpected error is
 * logged, and the response doesn't reveal it.
 */
export function createApp({services, names = [], port, demo = {}, minimumClient}: Options): App {
	const {log} = services;
	const all = [
		...healthRoutes(services.database),
		...contractRoutes(handlers, services),
		...artifactRoutes(services),
		...oauthRoutes(services),
		...pageRoutes(services),
		...demoRoutes(demo),
	];
	checkBasePath(services.publicUrl(), all);
	const routes = routeTable(all);
	const server: Server = {
		services,
		routes,
		names: [...loopbackNames, ...names].flatMap(name => parseAuthority(name)?.name ?? []),
		port,
		minimumClient,
	};
	const handle = withHead(async request => {
		const url = routedUrl(new URL(request.url), services.publicUrl(), routes);
		return await respond(server, request, url).catch(error => responseToError(error, url, log));
	});

	return async request => {
		const started = performance.now();
		const response = await handle(request);
		log({
			level: response.status >= 500 ? 'error' : 'info',
			message: 'request',
			method: request.method,
			path: new URL(request.url).pathname,
			status: response.status,
			milliseconds: Math.round(performance.now() - started),
		});
		return response;
	};
}

async function respond(server: Server, request: Request, url: URL): Promise<Response> {
	const {names, port, services} = server;
	const reachable = {names, port: port?.(), publicUrl: services.publicUrl()};
	const rejected = checkHost(request, url, reachable) ?? checkClientVersion(request, url, server.minimumClient);
	if (rejected) {
		return rejected;
	}

	const found = findRoute(server.routes, request, url);
	if (!(found instanceof Response) && found.route.auth === 'none') {
		const {route, parameters} = found;
		return checkMediaType(request, url, route) ?? found.route.handle({request, url, parameters});
	}

	// Checks credentials first, so that strangers can't find out which routes exist.
	const place = placeNames(found instanceof Response ? {} : found.parameters, url);
	const caller = await authenticate(server.services, request, place);
	if (!caller) {
		return errorResponse(url, 401, hasCredential(request) ? wrongCredential : noCredential, {
			headers: {'www-authenticate': 'Bearer'},
		});
	}

	if (found instanceof Response) {
		return found;
	}

	const {route, parameters} = found;
	return checkMediaType(request, url, route) ?? route.handle({request, url, parameters, ...caller});
}

const wrongCredential = 'That API key or token isn’t valid on this server.';

const noCredential = 'Send an API key or token as Authorization: Bearer.';

function hasCredential({headers}: Request): boolean {
	return headers.has('authorization') || Boolean(headers.get('x-api-key'));
}

const noDatabase =
	'The database of this server does not answer, has no room, or is damaged. Nothing was changed; try again.';

const lostAnswer =
	'The database of this server was lost while it saved. Check whether it took effect before you try again.';

/** Returns the response for an error that a handler threw. For a bug it reveals nothing. */
function responseToError(error: unknown, url: URL, log: Log): Response {
	if (error instanceof HttpError) {
		return errorResponse(url, error.status, error.message, error.options);
	}

	log({
		level: 'error',
		message: 'failed',
		path: url.pathname,
		error: stackOf(error),
	});
	return isDatabaseFault(error)
		? errorResponse(url, 502, isUncertain(error) ? lostAnswer : noDatabase, {type: 'database_error'})
		: errorResponse(url, 500, 'Something went wrong inside the server.');
}
