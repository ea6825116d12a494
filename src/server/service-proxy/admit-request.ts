import type {IncomingMessage} from 'node:http';
import {forwardHeader} from '../forward/forward-signature.ts';
import type {Forwarding} from '../forward/forwarding.ts';
import type {Services} from '../handlers/services.ts';
import {canonicalNames, checkHost} from '../http/request-checks.ts';
import type {Principal} from '../kit/authorize.ts';
import {endToEnd, headersOf, type RawHeaders} from '../kit/hop-by-hop.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import {isAuthorityOf, parseAuthority, parseOrigin, requestUrl} from '../kit/server-url.ts';
import {accessService, findEnvironment, type RunningService, serviceOf, tokenCookie} from './service-access.ts';
import {hasToken, requestHeaders, responseHeaders} from './service-headers.ts';
import {requested, type ServiceTarget} from './service-target.ts';

export type ProxyOptions = {
	readonly services: Services;
	readonly forwarding: Forwarding | undefined;
	/** Host names that the server listens on besides the loopback names, without a port. */
	readonly names: readonly string[];
	readonly port: () => number | undefined;
};

/** A request that may be passed on to a service. */
export type Passage = {
	readonly service: RunningService;
	/** The name of the service, and path and query for it. */
	readonly name: string;
	readonly path: string;
	/** Undefined if another server has passed it on. */
	readonly caller: Principal | undefined;
	/** Names and values by turns, but for the connection and the framing. */
	readonly headers: readonly string[];
	readonly toClient: (raw: RawHeaders) => readonly string[];
};

/** A response of this server instead of the service's. */
export type OwnResponse = {readonly status: number; readonly headers: Readonly<Record<string, string>>};

/** Decides about a request by its own words, or by those of the server that passed it on. */
export async function admitRequest(
	options: ProxyOptions,
	incoming: IncomingMessage,
	target: ServiceTarget,
): Promise<Passage | OwnResponse> {
	const {method = 'GET', headers, rawHeaders} = incoming;
	if (method === 'TRACE' || method === 'CONNECT') {
		reject(405, `${method} is not possible here.`, {headers: {allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'}});
	}

	if (headers['transfer-encoding'] !== undefined && headers['transfer-encoding'].toLowerCase() !== 'chunked') {
		reject(400, 'A body may have no transfer coding but chunked.');
	}

	if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length !== 1) {
		reject(400, 'A request must have exactly one Host header.');
	}

	const signed = headers[forwardHeader];
	return signed === undefined
		? await admitClient(options, incoming, target)
		: await admitForwarded(options, incoming, target, [signed].flat().join());
}

async function admitForwarded(
	{services, forwarding}: ProxyOptions,
	{method = 'GET', url = '', rawHeaders}: IncomingMessage,
	target: ServiceTarget,
	signed: string,
): Promise<Passage> {
	const verified = forwarding?.verify(signed, {method, target: url});
	if (!verified || 'refusal' in verified) {
		reject(403, verified?.refusal ?? 'This server accepts no requests of other servers.');
	}

	const environment = await findEnvironment(services, target.environmentId);
	const service = serviceOf(environment ?? rejectNotFound(), target.service);
	const kept = endToEnd(headersOf(rawHeaders)).filter(
		([name]) => !['host', forwardHeader].includes(name.toLowerCase()),
	);
	return {
		service,
		name: target.service,
		path: target.path,
		caller: undefined,
		headers: ['host', insideHostOf(service), ...kept.flat()],
		// The server that passed it on knows its client.
		toClient: raw => [...endToEnd(headersOf(raw)), ...lengthOf(raw)].flat(),
	};
}

function lengthOf(raw: RawHeaders) {
	return headersOf(raw).filter(([name]) => name.toLowerCase() === 'content-length');
}

/** The host that programs of the sandbox know the service by, the same on every server. */
function insideHostOf({port}: RunningService): string {
	return `127.0.0.1:${port}`;
}

async function admitClient(
	options: ProxyOptions,
	incoming: IncomingMessage,
	target: ServiceTarget,
): Promise<Passage | OwnResponse> {
	const {services} = options;
	const {headers, rawHeaders, method} = incoming;
	const host = requested(incoming).host ?? '';
	checkOrigin(options, {host, origin: headers.origin}, target);
	if (headers['service-worker'] !== undefined && !target.hasOwnHost) {
		reject(403, 'A service worker needs a host of its own. Start the server with --service-domain.');
	}

	if (hasToken(target.path)) {
		reject(400, 'The address has a credential in it, which the service would get.');
	}

	const {service, caller, credential, tokenToKeep} = await accessService(services, target, incoming);
	const isReading = method === 'GET' || method === 'HEAD';
	const outside = `${target.base}${target.path}`;
	if (isReading && tokenToKeep !== undefined && headers.accept?.includes('text/html')) {
		return redirect(outside, {'set-cookie': cookieOf(tokenToKeep, target, services.publicUrl())});
	}

	if (isReading && target.lacksSlash) {
		return redirect(outside, {});
	}

	const outsideOrigin = target.hasOwnHost
		? `${new URL(services.publicUrl()).protocol}//${host}`
		: new URL(requestUrl(new Request('http://127.0.0.1/', {headers: {host}}), services)).origin;
	const insideHost = insideHostOf(service);
	const {host: outsideHost, protocol} = new URL(outsideOrigin);
	const scheme = protocol.slice(0, -1);
	return {
		service,
		name: target.service,
		path: target.path,
		caller,
		headers: requestHeaders(rawHeaders, {target, credential, insideHost, outsideHost, scheme}).flat(),
		toClient: raw => responseHeaders(raw, {target, credential, path: target.path, insideHost, outsideOrigin}).flat(),
	};
}

function redirect(location: string, headers: Readonly<Record<string, string>>): OwnResponse {
	// A path that begins with two slashes would be another host.
	const path = location.replace(/^\/{2,}/, '/');
	return {
		status: 303,
		headers: {location: path, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers},
	};
}

/** Returns a cookie that a browser sends to one service alone. */
function cookieOf(token: string, {base}: ServiceTarget, publicUrl: string): string {
	const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
	return `${tokenCookie}=${token}; Path=${base}/; HttpOnly; SameSite=Lax${secure}`;
}

/** Rejects (403) a request with an unknown Host or from a page of another origin (SAFETY 25). */
function checkOrigin(
	{services, names, port}: ProxyOptions,
	{host, origin}: {readonly host: string; readonly origin: string | undefined},
	{hasOwnHost}: ServiceTarget,
): void {
	const publicUrl = services.publicUrl();
	const url = new URL('http://127.0.0.1/');
	if (!hasOwnHost) {
		const request = new Request(url, {headers: {host, ...(origin !== undefined && {origin})}});
		const reachable = {names: canonicalNames(names), port: port(), publicUrl};
		if (checkHost(request, url, reachable)) {
			reject(403, `Pages of ${origin ?? host} may not use this server.`);
		}

		return;
	}

	const own = parseAuthority(host);
	const sent = origin === undefined ? undefined : parseOrigin(origin);
	if (
		origin !== undefined &&
		!(sent && own && sent.protocol === new URL(publicUrl).protocol && isAuthorityOf(own, sent))
	) {
		reject(403, `Pages of ${origin} may not use this service.`);
	}
}

/** Methods of which a request without a length has no body. */
const bodiless = ['GET', 'HEAD', 'OPTIONS', 'DELETE'];

/** Returns the headers that frame the body of a request, if it has one. */
export function framingOf({headers, method = 'GET'}: IncomingMessage): readonly string[] {
	const {'content-length': length, 'transfer-encoding': encoding} = headers;
	const framing =
		encoding === undefined
			? length === undefined
				? bodiless.includes(method)
					? []
					: ['content-length', '0']
				: ['content-length', length]
			: ['transfer-encoding', 'chunked'];
	return ['connection', 'close', ...framing];
}
