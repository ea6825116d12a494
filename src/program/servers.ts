import {createSandboxServices} from '../client/sandbox-services.ts';
import {createCatalogAccess} from '../platform/catalog-access.ts';
import {createEmbeddedAccess} from '../platform/embedded-access.ts';
import {createPlatform} from '../platform/platform-on-demand.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import {transportsWith} from './transports.ts';

/** What the program reaches over the network. */
export type Servers = ReturnType<typeof createServers>;

/** Creates the access to servers. It sends nothing by itself. */
export function createServers(options: ProgramOptions, {home, config, recents, sightings, secrets}: LocalState) {
	const {store, env, workerUrl, version, debug, insecureHttp = false} = options;
	const createTransport = transportsWith({config, env, version, insecureHttp, secrets, debug});
	// The variable is Node's own.
	const codeCache = env['NODE_DISABLE_COMPILE_CACHE'] ? undefined : home.codeCache;
	const embedded = createEmbeddedAccess({store, recents, sightings, workerUrl, codeCache, createTransport});
	const catalog = createCatalogAccess({store, demoInfo: embedded.modelInfo});
	const services = createSandboxServices();
	const platform = createPlatform({
		store,
		config,
		env,
		recents,
		sightings,
		services,
		createTransport,
		insecureHttp,
		embedded: embedded.open,
		clock: options.loginClock,
	});
	return {
		createTransport,
		embedded,
		catalog,
		platform,
		services,
		priceRequest: catalog.priceRequest,
		loadPrices: async () => (await catalog.load()).priceOf,
	};
}
