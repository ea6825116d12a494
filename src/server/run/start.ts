import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import type {Debug} from '../../core/debug.ts';
import {messageOf} from '../../core/error.ts';
import {fullCost} from '../accounts/password.ts';
import {createSeal, createSealKey} from '../accounts/seal.ts';
import {applySeal, loadSealKey} from '../accounts/seal-key.ts';
import type {ArtifactLocation} from '../artifacts/artifact-location.ts';
import {openArtifacts} from '../artifacts/artifact-store.ts';
import type {DatabaseLocation} from '../database/location.ts';
import {openDatabase} from '../database/open.ts';
import type {DemoOptions} from '../demo-model/demo-routes.ts';
import {loadServerCatalog} from '../handlers/server-catalog.ts';
import type {Services} from '../handlers/services.ts';
import {createApp} from '../http/app.ts';
import {listen} from '../http/listen.ts';
import type {Log} from '../kit/log.ts';
import type {App} from '../kit/route.ts';
import {defaultStorageLimit} from '../quota/stored-bytes.ts';
import {endSandboxes, monitorSandboxes} from '../sandboxes/sandbox-monitor.ts';
import {createSandboxing} from '../sandboxes/sandboxing.ts';

export type RunningServer = {
	/** Without a trailing slash. */
	readonly url: string;
	readonly services: Services;
	readonly app: App;
	/** The number of requests in progress. */
	readonly inProgress: () => number;
	/** Stops accepting requests, waits for those in progress for a limited time, and closes the database. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly location: DatabaseLocation;
	/** A folder for the files of this server alone. */
	readonly folder: string;
	/** More folders that sandboxes can't read. */
	readonly hidden?: readonly string[];
	/** Where artifacts are stored; by default `artifacts` in the folder. */
	readonly artifacts?: ArtifactLocation;
	/** Maximum bytes of spans and artifacts for each organization; 10 GB by default. */
	readonly storageLimit?: number;
	/** The address to listen on; 127.0.0.1 and a free port by default. */
	readonly host?: string;
	readonly port?: number;
	/** Where browsers and clients reach it, if that differs from where it listens, e.g. behind a proxy. May have a path. */
	readonly publicUrl?: string;
	/** Whether tasks may run with the server's own permissions if containment isn't available. */
	readonly unsafeSandboxes?: boolean;
	/** The oldest client version that it accepts; others get 426. */
	readonly minimumClient?: string | undefined;
	/** The environment variables with provider keys, which decide the available models, and `SERVICE_SEAL_KEY`. */
	readonly environment: NodeJS.ProcessEnv;
	readonly demo?: DemoOptions;
	/** How long a connection stays open between two requests; 75 seconds by default. */
	readonly keepAliveMs?: number | undefined;
	/** How long requests in progress may take after `close`; 5 seconds by default. */
	readonly closeTimeoutMs?: number;
	readonly log?: Log;
	/** Gets an entry for each request. */
	readonly debug?: Debug | undefined;
};

/**
 * Opens the database and starts everything. Throws AppError if the port can't be used, and what opening the database
 * throws.
 */
export async function startServer(options: Options): Promise<RunningServer> {
	const {location, folder, hidden, host, port, publicUrl, environment, demo, log = () => {}} = options;
	const {storageLimit = defaultStorageLimit, keepAliveMs, closeTimeoutMs} = options;
	const catalog = await loadServerCatalog(environment);
	const isEphemeral = location.engine === 'sqlite' && location.file === ':memory:';
	const seal = createSeal(isEphemeral ? createSealKey() : await loadSealKey(folder, environment));
	const database = await openDatabase(location, error =>
		log({level: 'warn', message: 'database connection lost', error: error.message}),
	);
	let url = publicUrl ?? '';
	const sandboxes = createSandboxing({folder, hidden, log, isEphemeral, allowUncontained: options.unsafeSandboxes});
	const isProxied = publicUrl !== undefined;
	const shared = {database, now: () => new Date(), publicUrl: () => url, isProxied, log, seal, passwordCost: fullCost};
	const artifacts = openArtifacts(options.artifacts ?? {kind: 'disk', folder: join(folder, 'artifacts')}, shared);
	const services: Services = {...shared, catalog, artifacts, sandboxes, storageLimit};
	try {
		await applySeal(database, seal);
		let bound = 0;
		const app = createApp({
			services,
			names: namesOf(host),
			port: () => bound,
			demo,
			minimumClient: options.minimumClient,
		});
		const listening = await listen(app, {host, port, keepAliveMs, closeTimeoutMs, debug: options.debug});
		bound = Number(new URL(listening.url).port || 80);
		url = publicUrl ?? listening.url;
		const keeper = monitorSandboxes(services);
		const cleanup = startCleanup(services);
		return {
			url: listening.url,
			services,
			app,
			inProgress: listening.inProgress,
			async close() {
				await listening.close();
				await keeper.close();
				await cleanup.close();
				if (isEphemeral) {
					await endSandboxes(services);
				}

				await database.destroy();
			},
		};
	} catch (error) {
		await database.destroy();
		throw error;
	}
}

/**
 * Returns the host names that it listens on. A server that listens on every address has every address of the machine.
 */
function namesOf(host: string | undefined): readonly string[] {
	const addresses = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({address}) => address));
	const isEverywhere = host === '0.0.0.0' || host === '::';
	const listening = isEverywhere ? [hostname(), ...addresses] : host === undefined ? [] : [host];
	return listening.map(name => (name.includes(':') ? `[${name}]` : name));
}

const defaultIntervalMs = 10 * 60_000;

type Shared = Pick<Services, 'database' | 'now' | 'log'>;

/** Starts a periodic cleanup of expired rows. Login attempts of strangers are stored as rows, too. */
export function startCleanup(services: Shared, intervalMs = defaultIntervalMs): {readonly close: () => Promise<void>} {
	let current = Promise.resolve();
	const timer = setInterval(() => {
		current = current
			.then(() => sweepExpired(services))
			.catch(error => {
				// The database may be unavailable for a moment; the next cleanup catches up.
				services.log({level: 'warn', message: 'sweep', error: messageOf(error)});
			});
	}, intervalMs);
	timer.unref();
	return {
		async close() {
			clearInterval(timer);
			await current;
		},
	};
}

/** Deletes rows that expired over an hour ago. */
async function sweepExpired({database, now}: Shared): Promise<void> {
	const hourAgo = new Date(now().getTime() - 60 * 60 * 1000).toISOString();
	for (const table of ['tokens', 'device_authorizations', 'browser_sessions', 'password_codes'] as const) {
		await database.deleteFrom(table).where('expires_at', '<', hourAgo).execute();
	}

	await database.deleteFrom('attempts').where('resets_at', '<', hourAgo).execute();
}
