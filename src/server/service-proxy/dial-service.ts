import {type ClientRequest, request as requestHttp} from 'node:http';
import {request as requestHttps} from 'node:https';
import type {Forwarding} from '../forward/forwarding.ts';
import type {Principal} from '../kit/authorize.ts';
import {reject} from '../kit/http-error.ts';
import {orProviderFault} from '../sandboxes/provider-fault.ts';
import type {SandboxServices} from '../sandboxes/sandboxing.ts';
import {servicesPath} from '../sandboxes/service-urls.ts';
import type {RunningService} from './service-access.ts';

/** How long nothing may pass between a client and a service. */
export const idleMs = 10 * 60_000;

/** Maximum bytes of the headers of a response. */
export const maxHeaderBytes = 32 * 1024;

type Dialed = {
	readonly method: string;
	/** The name of the service, and path and query for it. */
	readonly service: string;
	readonly path: string;
	/** Names and values by turns. */
	readonly headers: readonly string[];
	/** The caller, for a service on another machine; undefined if another server has passed the request on to this one. */
	readonly caller: Principal | undefined;
};

/**
 * Opens a request to a service, through the server of its machine if that is another one. Rejects with 503 while the sandbox
 * doesn't run its command or that server can't be reached, and with 502 a request that was passed on and should be once more.
 */
export async function dialService(
	services: SandboxServices,
	forwarding: Forwarding | undefined,
	{machine, sandboxId, port, isTls, environmentId}: RunningService,
	{method, service, path, headers, caller}: Dialed,
): Promise<ClientRequest> {
	const {provider} = services.sandboxes;
	if (machine !== (await orProviderFault(services, provider.machine()))) {
		if (!forwarding || !caller) {
			reject(502, 'The sandbox is on another machine than the server that was asked for it. Try again.', {
				type: 'sandbox_provider_error',
			});
		}

		const target = `${servicesPath}/${environmentId}/${service}${path}`;
		return await forwarding.open(machine, {method, target, caller, headers: withoutHost(headers), idleMs});
	}

	const address = await orProviderFault(services, provider.serviceAddress(sandboxId, port));
	if (!address) {
		rejectStarting();
	}

	return (isTls ? requestHttps : requestHttp)({
		...address,
		method,
		path,
		headers: [...headers],
		// A connection for each request: what one of them leaves behind reaches no other.
		agent: false,
		timeout: idleMs,
		maxHeaderSize: maxHeaderBytes,
		// The address is ours; the name in the certificate of a sandbox says nothing.
		rejectUnauthorized: false,
	});
}

function withoutHost(headers: readonly string[]): readonly string[] {
	const index = headers.findIndex((name, at) => at % 2 === 0 && name === 'host');
	return index < 0 ? headers : [...headers.slice(0, index), ...headers.slice(index + 2)];
}

/** Ends a request with 503: the program of the service isn't there yet, or no longer. */
export function rejectStarting(): never {
	return reject(503, 'The service does not accept connections. Try again, or see the log of the sandbox.', {
		type: 'sandbox_provider_error',
		headers: {'retry-after': '1'},
	});
}
