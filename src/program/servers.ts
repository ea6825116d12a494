import {createSandboxServices, type ServicePlaces} from '../client/sandbox-services.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {Credential} from '../net/credential.ts';
import type {WarmTransport} from '../net/transport.ts';
import {type CatalogAccess, createCatalogAccess} from '../platform/catalog-access.ts';
import {createEmbeddedAccess, type EmbeddedAccess} from '../platform/embedded-access.ts';
import {createPlatform, type Platform} from '../platform/platform.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** What the program reaches over the network. */
export type Servers = {
	readonly createTransport: OpenTransport;
	readonly embedded: EmbeddedAccess;
	readonly catalog: CatalogAccess;
	readonly platform: Platform;
	/** Where the services of sandboxes are. */
	readonly services: ServicePlaces;
	/** Puts prices and context windows into the store. Returns the prices. */
	readonly loadPrices: () => Promise<PriceOf>;
};

/** Creates the access to servers. It sends nothing by itself. */
export function createServers(options: ProgramOptions, local: LocalState): Servers {
	const {home, config, recents, sightings} = local;
	const {store, env, workerUrl, insecureHttp = false} = options;
	const createTransport = transportsWith(options, local);
	// The variable is Node's own.
	const codeCache = env['NODE_DISABLE_COMPILE_CACHE'] ? undefined : home.codeCache;
	const embedded = createEmbeddedAccess({store, recents, sightings, workerUrl, codeCache, createTransport});
	const catalog = createCatalogAccess({store, demoInfo: embedded.modelInfo, settings: local.settings});
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
		loginClock: options.loginClock,
	});
	return {
		createTransport,
		embedded,
		catalog,
		platform,
		services,
		loadPrices: async () => (await catalog.load()).priceOf,
	};
}

/**
 * Opens a transport with a credential, whose secret may still be in the keychain. The flag decides whether plain HTTP may
 * leave this machine if a caller doesn't say.
 */
type OpenTransport = (credential: Credential | undefined, insecureHttp?: boolean) => Promise<WarmTransport>;

/** Returns what opens transports. This is the one place where a stored secret is opened: at its first use. */
function transportsWith(
	{env, version, insecureHttp = false, debug, openRequests}: ProgramOptions,
	{config, secrets}: LocalState,
): OpenTransport {
	return async (given, isPlainAllowed = insecureHttp) => {
		const {createTransport} = await import('../net/undici-transport.ts');
		const credential = given && {...given, secret: await config.open(given.secret)};
		if (credential) {
			secrets.add(credential.secret);
		}

		const opened = createTransport({
			env,
			userAgent: `service/${version}`,
			insecureHttp: isPlainAllowed,
			...(credential && {credential}),
		});
		const transport = openRequests?.follow(opened) ?? opened;
		return debug ? (await import('../net/debug-transport.ts')).withDebug(transport, debug.write) : transport;
	};
}
