import type {OperationId} from '../contract/extensions.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import {isLoopback, isWithin, originOf} from '../core/origin.ts';
import {secret} from '../core/secrets/secret.ts';
import {isUuid} from '../core/uuid.ts';
import type {Credential} from '../net/credential.ts';

/** A sandbox of the user's workspace, and where its services are. */
export type SandboxAddress = {
	readonly environment: string;
	readonly name: string;
	/** The origin of the server that runs it, and that named the services. */
	readonly server: string;
	/** Origins, and below that of the server the URL of each service. */
	readonly origins: readonly string[];
	/** Its execute token for each service that the server passes requests on to, if the user created it. */
	readonly credentials: readonly Credential[];
};

/** The services of the sandboxes that the user created or listed since the program started. */
export type ServicePlaces = {
	/** Adds the services of the sandboxes in the answer of a call. Never throws, whatever the server sent. */
	readonly remember: (operation: OperationId, server: string, answer: unknown) => void;
	/** Returns the sandbox with a service at this URL; undefined if there is none. */
	readonly at: (url: string) => SandboxAddress | undefined;
};

const maxSandboxes = 100;
const maxServices = 20;

export function createSandboxServices(): ServicePlaces {
	let sandboxes: readonly SandboxAddress[] = [];
	return {
		remember(operation, server, answer) {
			const named = entriesIn(operation, answer);
			const known = named.flatMap(entry => {
				const sandbox = sandboxOf(entry, server);
				const before = sandboxes.find(({environment}) => environment === sandbox?.environment);
				// Only the answer to its creation has the token.
				return sandbox ? [withCredentials(sandbox, before, entry['execute_token'])] : [];
			});
			// What is said last of a sandbox counts: it may have ended.
			const others = sandboxes.filter(
				sandbox => !(sandbox.server === server && named.some(({id}) => id === sandbox.environment)),
			);
			sandboxes = named.length > 0 ? [...known, ...others].slice(0, maxSandboxes) : sandboxes;
		},
		at: url => sandboxes.find(({origins}) => origins.some(place => isWithin(url, place))),
	};
}

/** Returns the sandboxes in an answer, as the server describes them. */
function entriesIn(operation: OperationId, answer: unknown): readonly JsonObject[] {
	if (!isJsonObject(answer)) {
		return [];
	}

	switch (operation) {
		case 'createEnvironment':
		case 'getEnvironment':
			return [answer];
		case 'listEnvironments': {
			const {items} = answer;
			return Array.isArray(items) ? items.filter(isJsonObject) : [];
		}
		default:
			return [];
	}
}

/** Another program may listen at the addresses of a sandbox that has ended. */
const ended: readonly unknown[] = ['torn_down', 'failed'];

function sandboxOf(entry: JsonObject, server: string): SandboxAddress | undefined {
	const {id, state, task_ref: task, service_urls: services} = entry;
	if (typeof id !== 'string' || !isJsonObject(services) || ended.includes(state)) {
		return undefined;
	}

	const origins = Object.entries(services)
		.flatMap(([service, address]) => (isJsonObject(address) ? [[service, address['url']] as const] : []))
		.flatMap(([service, url]) => (typeof url === 'string' ? (placeOf(url, {server, id, service}) ?? []) : []))
		.slice(0, maxServices);
	const name = typeof task === 'string' ? task.slice(0, 60) : id.slice(0, 60);
	return origins.length > 0
		? {environment: id, name, server, origins: [...new Set(origins)].sort(), credentials: []}
		: undefined;
}

type ServiceName = {readonly server: string; readonly id: string; readonly service: string};

/**
 * Returns the origin of a service, or its URL if the server passes requests on to it. Returns undefined for any other address of
 * the server itself: what is sent there does not stay in the sandbox.
 */
function placeOf(url: string, {server, id, service}: ServiceName): string | undefined {
	if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
		return undefined;
	}

	const {origin} = new URL(url);
	const passedOn = `${server}/sandboxes/${id}/${service}`;
	if (origin !== new URL(server).origin) {
		return origin;
	}

	return isUuid(id) && /^[a-z][a-z\d_]*$/.test(service) && isWithin(url, passedOn) ? passedOn : undefined;
}

/** Adds the token to the services that the server passes requests on to. Programs of a sandbox never get it (SAFETY 6). */
function withCredentials(sandbox: SandboxAddress, before: SandboxAddress | undefined, token: unknown): SandboxAddress {
	if (typeof token !== 'string' || token === '') {
		const kept = before?.server === sandbox.server ? before.credentials : [];
		return {...sandbox, credentials: kept.filter(({origin}) => sandbox.origins.includes(origin))};
	}

	const {environment, server, origins} = sandbox;
	const passedOn = origins.filter(
		place => isWithin(place, `${server}/sandboxes`) || isHostOf(new URL(place), environment),
	);
	return {
		...sandbox,
		credentials: passedOn.map(place => ({origin: originOf(place), kind: 'x-api-key', secret: secret(token)})),
	};
}

/** Returns whether the server gave a service this host of its own. */
function isHostOf(url: URL, environment: string): boolean {
	return (
		isUuid(environment) && url.hostname.startsWith(`${environment}-`) && (url.protocol === 'https:' || isLoopback(url))
	);
}
