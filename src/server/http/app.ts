import {redactKnown} from '../../core/secrets/redact.ts';
import {oauthRoutes} from '../accounts/oauth/oauth-routes.ts';
import {artifactRoutes} from '../artifacts/artifact-routes.ts';
import {isDatabaseFault, isDiskFault, isLockTimeout, isUncertain} from '../database/fault.ts';
import {fullDiskSeconds} from '../database/refused-writes.ts';
import {type DemoOptions, demoRoutes} from '../demo-model/demo-routes.ts';
import {forwardHeader} from '../forward/forward-signature.ts';
import type {Forwarding} from '../forward/forwarding.ts';
import {contractRoutes} from '../handlers/handler.ts';
import {handlers} from '../handlers/handlers.ts';
import type {Services} from '../handlers/services.ts';
import type {Principal} from '../kit/authorize.ts';
import {errorResponse, HttpError} from '../kit/http-error.ts';
import {type Log, stackOf} from '../kit/log.ts';
import {requestIdHeader} from '../kit/request-id.ts';
import {type App, findRoute, type RouteRequest, type RouteTable, routeTable, type ServerRoute} from '../kit/route.ts';
import {placeNames} from '../kit/scope.ts';
import {asPage} from '../pages/error-pages.ts';
import {pageRoutes} from '../pages/page-routes.ts';
import {authenticate, scopeForwarded} from './authenticate.ts';
import {withHead} from './head.ts';
import {healthRoutes} from './health.ts';
import {announceLimit} from './rate-limit.ts';
import {
	canonicalNames,
	checkBasePath,
	checkClientVersion,
	checkHost,
	checkMediaType,
	routedUrl,
} from './request-checks.ts';
import {type ServedFacts, withFacts} from './request-record.ts';

type Options = {
	readonly services: Services;
	/** Host names that it listens on besides the loopback names, without a port. */
	readonly names?: readonly string[];
	/** The port that it listens on; without one, as in tests, a Host may have any. */
	readonly port?: () => number;
	readonly demo?: DemoOptions;
	/** The oldest client version that this server accepts. */
	readonly minimumClient?: string | undefined;
	/** Passes requests on to other servers and accepts theirs; without it, neither happens. */
	readonly forwarding?: Forwarding | undefined;
	/** Routes of what this server does beside the platform's operations. */
	readonly routes?: readonly ServerRoute[];
	/** Whether it stops soon, so that load balancers send their requests elsewhere. */
	readonly isDraining?: () => boolean;
};

type Server = {
	readonly services: Services;
	readonly routes: RouteTable;
	/** Every name that the server listens on, in canonical form. */
	readonly names: readonly string[];
	readonly port: (() => number) | undefined;
	readonly minimumClient: string | undefined;
	readonly forwarding: Forwarding | undefined;
};

/**
 * Creates the server as a function of a request, so that tests need no port. Throws AppError("usage") for a public URL with
 * the path of a page. The function never throws: an unexpected error is
 * logged, and the response doesn't reveal it. `factsOf` returns what it learned about the request of a response.
 */
export function createApp(options: Options): App {
	const {services, names = [], port, demo = {}, minimumClient, forwarding, isDraining = () => false} = options;
	const {log} = services;
	const all = [
		...healthRoutes(services, isDraining),
		...contractRoutes(handlers, services),
		...artifactRoutes(services),
		...oauthRoutes(services),
		...pageRoutes(services),
		...demoRoutes(demo),
		...(options.routes ?? []),
	];
	checkBasePath(services.publicUrl(), all);
	const routes = routeTable(all);
	const server: Server = {
		services,
		routes,
		names: canonicalNames(names),
		port,
		minimumClient,
		forwarding,
	};
	return async request => {
		const facts: Learned = {};
		const handle = withHead(async asked => {
			const url = routedUrl(new URL(asked.url), services.publicUrl(), routes);
			const response = await respond(server, asked, url, facts).catch(error =>
				responseToError(error, url, log, asked.headers.get(requestIdHeader)),
			);
			announceLimit(asked, response);
			return response;
		});
		return withFacts(await asPage(request, await handle(request), services), facts);
	};
}

/** What is learned about a request while it is answered, also if that fails. */
type Learned = {-readonly [Fact in keyof ServedFacts]: ServedFacts[Fact]};

async function respond(server: Server, request: Request, url: URL, facts: Learned): Promise<Response> {
	const {names, port, services} = server;
	const forwarder = forwardedCaller(server, request);
	if (forwarder instanceof Response) {
		return forwarder;
	}

	const reachable = {names, port: port?.(), publicUrl: services.publicUrl()};
	const rejected = forwarder
		? undefined
		: (checkHost(request, url, reachable) ?? checkClientVersion(request, url, server.minimumClient));
	if (rejected) {
		return rejected;
	}

	const found = findRoute(server.routes, request, url);
	facts.route = found instanceof Response ? undefined : found.route.path;
	if (!(found instanceof Response) && found.route.auth === 'none') {
		const {route, parameters} = found;
		return checkMediaType(request, url, route) ?? found.route.handle({request, url, parameters});
	}

	// Checks credentials first, so that strangers can't find out which routes exist.
	const place = placeNames(found instanceof Response ? {} : found.parameters, url);
	const caller = forwarder
		? await scopeForwarded(services, forwarder, place)
		: await authenticate(services, request, place);
	if (!caller) {
		return errorResponse(url, 401, hasCredential(request) ? wrongCredential : noCredential, {
			headers: {'www-authenticate': 'Bearer'},
		});
	}

	facts.user = caller.principal.userId;
	if (found instanceof Response) {
		return found;
	}

	const {route, parameters} = found;
	facts.organization = caller.scope && parameters['org'];
	return (
		checkMediaType(request, url, route) ??
		(await handleOrForward(server, route, {request, url, parameters, ...caller}, forwarder !== undefined))
	);
}

/** Returns the caller of a request that another server passed on; undefined for any other request. */
function forwardedCaller({forwarding}: Server, request: Request): Principal | Response | undefined {
	const header = request.headers.get(forwardHeader);
	if (header === null) {
		return undefined;
	}

	const url = new URL(request.url);
	const {method} = request;
	const verified = forwarding?.verify(header, {method, target: `${url.pathname}${url.search}`});
	return verified && 'caller' in verified
		? verified.caller
		: errorResponse(url, 403, verified?.refusal ?? 'This server accepts no requests of other servers.');
}

/** Handles a request. If only a server on another machine can do that, it is passed on to that, once. */
async function handleOrForward(
	{forwarding}: Server,
	{handle}: {readonly handle: (request: RouteRequest) => Response | Promise<Response>},
	request: RouteRequest,
	isForwarded: boolean,
): Promise<Response> {
	try {
		return await handle(request);
	} catch (error) {
		const machine = error instanceof HttpError ? error.options.machine : undefined;
		if (machine === undefined || !forwarding || isForwarded) {
			throw error;
		}

		return await forwarding.answer(machine, request.request, request.principal);
	}
}

const wrongCredential = 'That API key or token isn’t valid on this server.';

const noCredential = 'Send an API key or token as Authorization: Bearer.';

function hasCredential({headers}: Request): boolean {
	return headers.has('authorization') || Boolean(headers.get('x-api-key'));
}

const noDatabase =
	'The database of this server does not answer, has no room, or is damaged. Nothing was changed; try again.';

const fullDisk = `The disk of this server’s database is full, or it fails. Nothing was changed. Try again in ${fullDiskSeconds} s.`;

const lostAnswer =
	'The database of this server was lost while it saved. Check whether it took effect before you try again.';

const locked =
	'Another change takes too long, and this one would have to wait for it. Nothing was changed. Try again in 2 s.';

/** Returns the response for an error that a handler threw. For a bug it reveals nothing. */
export function responseToError(error: unknown, url: URL, log: Log, requestId?: string | null): Response {
	if (error instanceof HttpError) {
		return errorResponse(url, error.status, error.message, error.options);
	}

	log({
		level: 'error',
		message: 'failed',
		request_id: requestId,
		path: redactKnown(url.pathname),
		error: stackOf(error),
	});
	if (isLockTimeout(error)) {
		return errorResponse(url, 429, locked, {type: 'database_error', headers: {'retry-after': '2'}});
	}

	if (isDiskFault(error) && !isUncertain(error)) {
		const headers = {'retry-after': String(fullDiskSeconds)};
		return errorResponse(url, 503, fullDisk, {type: 'database_error', headers});
	}

	return isDatabaseFault(error)
		? errorResponse(url, 502, isUncertain(error) ? lostAnswer : noDatabase, {type: 'database_error'})
		: errorResponse(url, 500, 'Something went wrong inside the server.');
}
