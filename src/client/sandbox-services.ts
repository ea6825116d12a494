import type {OperationId} from '../contract/operations.ts';
import {isJsonObject, type Json} from '../core/json.ts';

/** A sandbox that the user created, and the origins of its services. */
type Sandbox = {
	readonly environment: string;
	readonly name: string;
	/** The origin of the server that runs it, and that named the services. */
	readonly server: string;
	readonly origins: readonly string[];
};

/** The services of the sandboxes that the user created since the program started. */
export type SandboxServices = {
	/** Adds the services in the answer of a call, if it created a sandbox. Never throws, whatever the server sent. */
	readonly remember: (operation: OperationId, server: string, answer: unknown) => void;
	/** Returns the sandbox with a service at this origin; undefined if there is none. */
	readonly at: (origin: string) => Sandbox | undefined;
};

const maxSandboxes = 100;
const maxServices = 20;

export function createSandboxServices(): SandboxServices {
	let sandboxes: readonly Sandbox[] = [];
	return {
		remember(operation, server, answer) {
			const created = operation === 'createEnvironment' && isJsonObject(answer) ? sandboxOf(answer, server) : undefined;
			sandboxes = created ? [created, ...sandboxes].slice(0, maxSandboxes) : sandboxes;
		},
		at: origin => sandboxes.find(({origins}) => origins.includes(origin)),
	};
}

function sandboxOf(answer: Readonly<Record<string, Json>>, server: string): Sandbox | undefined {
	const {id, task_ref: task, service_urls: services} = answer;
	if (typeof id !== 'string' || !isJsonObject(services)) {
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
	return /^https?:\/\//i.test(url) && URL.canParse(url) && new URL(url).origin !== server;
}
