import type {SandboxAddress, ServiceAddresses} from '../client/sandbox-services.ts';
import type {createPlatform} from '../platform/platform-on-demand.ts';
import type {AppStore} from '../store/store.ts';

type Platform = Pick<ReturnType<typeof createPlatform>, 'openConnected'>;

/** How long a list of the workspace's sandboxes counts. */
const validMs = 60_000;
const timeoutMs = 3000;

/**
 * Returns what finds the sandbox with a service at an origin: one that was created or listed here, else one of those that the
 * connected server lists. Never throws: without a list there is none, and the question about the address says so.
 */
export function knownSandboxes(store: AppStore, platform: Platform, services: ServiceAddresses) {
	let listedAtMs = Number.NEGATIVE_INFINITY;

	const list = async () => {
		listedAtMs = performance.now();
		try {
			const {client, scope} = await platform.openConnected();
			await client.listEnvironments({params: await scope('org', 'workspace')}, AbortSignal.timeout(timeoutMs));
		} catch {
			// A server that has no such list, or no login, names no sandboxes.
		}
	};

	return async (origin: string): Promise<SandboxAddress | undefined> => {
		const isConnected = store.getState().connection.state === 'ready';
		if (!services.at(origin) && isConnected && performance.now() - listedAtMs > validMs) {
			await list();
		}

		return services.at(origin);
	};
}
