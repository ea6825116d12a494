import {createSandboxServices} from '../client/sandbox-services.ts';
import type {Config} from '../config/config.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import type {Environment} from '../core/environment.ts';
import type {Credential} from '../net/credential.ts';
import type {WarmTransport} from '../net/transport.ts';
import {createCatalogAccess} from '../platform/catalog-access.ts';
import {createEmbeddedAccess} from '../platform/embedded-access.ts';
import {createPlatform} from '../platform/platform.ts';
import type {DebugLog} from '../storage/debug-log.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

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
		loginClock: options.loginClock,
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

type Options = {
	readonly config: Config;
	readonly env: Environment;
	readonly version: string;
	/** Whether plain HTTP may leave this machine if a caller doesn't say. */
	readonly insecureHttp: boolean;
	/** Gets each secret that is opened. */
	readonly secrets: KnownSecrets;
	readonly debug: DebugLog | undefined;
};

/** Opens a transport with a credential, whose secret may still be in the keychain. */
type OpenTransport = (credential: Credential | undefined, insecureHttp?: boolean) => Promise<WarmTransport>;

/** Returns what opens transports. This is the one place where a stored secret is opened: at its first use. */
function transportsWith({config, env, version, insecureHttp, secrets, debug}: Options): OpenTransport {
	return async (given, isPlainAllowed = insecureHttp) => {
		const {createTransport} = await import('../net/undici-transport.ts');
		const credential = given && {...given, secret: await config.open(given.secret)};
		if (credential) {
			secrets.add(credential.secret);
		}

		const transport = createTransport({
			env,
			userAgent: `service/${version}`,
			insecureHttp: isPlainAllowed,
			...(credential && {credential}),
		});
		return debug ? (await import('../net/debug-transport.ts')).withDebug(transport, debug.write) : transport;
	};
}
