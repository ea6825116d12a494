import type {OperationId} from '../contract/extensions.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';

/** A sandbox of the user's workspace, and the origins of its services. */
export type SandboxAddress = {
	readonly environment: string;
	readonly name: string;
	/** The origin of the server that runs it, and that named the services. */
	readonly server: string;
	readonly origins: readonly string[];
};

/** The services of the sandboxes that the user created or listed since the program started. */
export type ServicePlaces = {
	/** Adds the services of the sandboxes in the answer of a call. Never throws, whatever the server sent. */
	readonly remember: (operation: OperationId, server: string, answer: unknown) => void;
	/** Returns the sandbox with a service at this origin; undefined if there is none. */
	readonly at: (origin: string) => SandboxAddress | undefined;
};

const maxSandboxes = 100;
const maxServices = 20;

export function createSandboxServices(): ServicePlaces {
	let sandboxes: readonly SandboxAddress[] = [];
	return {
		remember(operation, server, answer) {
			const named = entriesIn(operation, answer);
			const known = named.flatMap(entry => sandboxOf(entry, server) ?? []);
			// What is said last of a sandbox counts: it may have ended.
			const others = sandboxes.filter(
				sandbox => !(sandbox.server === server && named.some(({id}) => id === sandbox.environment)),
			);
			sandboxes = named.length > 0 ? [...known, ...others].slice(0, maxSandboxes) : sandboxes;
		},
		at: origin => sandboxes.find(({origins}) => origins.includes(origin)),
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

	const origins = Object.values(services)
		.flatMap(service => (isJsonObject(service) ? [service['url']] : []))
		.flatMap(url => (typeof url === 'string' && isService(url, server) ? [new URL(url).origin] : []))
		.slice(0, maxServices);
	const name = typeof task === 'string' ? task.slice(0, 60) : id.slice(0, 60);
	return origins.length > 0 ? {environment: id, name, server, origins: [...new Set(origins)].sort()} : undefined;
}

/** False for an address of the server itself: what is sent there does not stay in the sandbox. */
function isService(url: string, server: string): boolean {
	return /^https?:\/\//i.test(url) && URL.canParse(url) && new URL(url).origin !== new URL(server).origin;
}
