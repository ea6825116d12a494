import {randomUUID} from 'node:crypto';
import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import type {Debug} from '../../core/debug.ts';
import {isLoopback} from '../../core/origin.ts';
import type {OidcSettings} from '../accounts/oidc/oidc-settings.ts';
import {fullCost} from '../accounts/password.ts';
import {createSeal, createSealKey} from '../accounts/seal.ts';
import {applySeal, loadSealKey} from '../accounts/seal-key.ts';
import type {ArtifactLocation} from '../artifacts/artifact-location.ts';
import {openArtifacts} from '../artifacts/artifact-store.ts';
import type {DatabaseLocation} from '../database/location.ts';
import {explainDatabaseFault, openDatabase, poolOf} from '../database/open.ts';
import {takeSweep} from '../database/sweep-lease.ts';
import type {DemoOptions} from '../demo-model/demo-routes.ts';
import {loadServerCatalog} from '../handlers/server-catalog.ts';
import type {Services} from '../handlers/services.ts';
import type {HostingChoice} from '../host-sessions/host-passes.ts';
import {createApp} from '../http/app.ts';
import {listen} from '../http/listen.ts';
import {firstHandler} from '../http/raw-handler.ts';
import {logRequest, type RequestRecord} from '../http/request-record.ts';
import {createCounters} from '../kit/counters.ts';
import type {Log} from '../kit/log.ts';
import {fitTurns} from '../kit/organization-turns.ts';
import {repeat} from '../kit/repeat.ts';
import type {App} from '../kit/route.ts';
import type {createMetrics} from '../metrics/metrics.ts';
import type {MetricsAddress} from '../metrics/serve-metrics.ts';
import {defaultStorageLimit} from '../quota/stored-bytes.ts';
import type {Retention} from '../retention/retention.ts';
import type {MachineRoom} from '../sandboxes/machine-room.ts';
import type {SandboxProvider} from '../sandboxes/provider.ts';
import {endSandboxes, monitorSandboxes} from '../sandboxes/sandbox-monitor.ts';
import {createSandboxing} from '../sandboxes/sandboxing.ts';
import {lazyServiceProxy} from '../service-proxy/lazy-service-proxy.ts';

export type RunningServer = {
	/** Without a trailing slash. */
	readonly url: string;
	readonly services: Services;
	readonly app: App;
	readonly metricsUrl: string | undefined;
	/** The number of requests in progress. */
	readonly inProgress: () => number;
	/** Lets `/readyz` say that the server stops, while it answers everything as before. */
	readonly drain: () => void;
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
	/** After how many days what is deleted; without it only logs of sandboxes are, a day after their end. */
	readonly retention?: Retention | undefined;
	/** The address to listen on; 127.0.0.1 and a free port by default. */
	readonly host?: string;
	readonly port?: number;
	/** Where browsers and clients reach it, if that differs from where it listens, e.g. behind a proxy. May have a path. */
	readonly publicUrl?: string;
	/** What all sandboxes on this machine may have together; no limit by default. */
	readonly room?: MachineRoom | undefined;
	/** Where servers of other machines reach it; by default the address that it listens on. */
	readonly address?: string | undefined;
	/** `host[:port]` below which each service of a sandbox gets a host of its own. */
	readonly serviceDomain?: string | undefined;
	/** What runs sandboxes; processes of this machine by default. */
	readonly provider?: SandboxProvider | undefined;
	/** Whether tasks may run with the server's own permissions if containment isn't available. */
	readonly unsafeSandboxes?: boolean;
	/** Private ranges that tasks with single hosts reach on this machine. */
	readonly openRanges?: readonly string[];
	/** The oldest client version that it accepts; others get 426. */
	readonly minimumClient?: string | undefined;
	/** The environment variables with provider keys, which decide the available models, and `SERVICE_SEAL_KEY`. */
	readonly environment: NodeJS.ProcessEnv;
	readonly demo?: DemoOptions;
	/** The OpenID provider that users log in with. */
	readonly oidc?: OidcSettings | undefined;
	/** Hosts sessions of users; none by default. */
	readonly hosting?: HostingChoice | undefined;
	/** How long a connection stays open between two requests; 75 seconds by default. */
	readonly keepAliveMs?: number | undefined;
	/** How long requests in progress may take after `close`; 5 seconds by default. */
	readonly closeTimeoutMs?: number;
	/** Where metrics are served; nowhere by default. */
	readonly metrics?: MetricsAddress | undefined;
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
	const {storageLimit = defaultStorageLimit, keepAliveMs, closeTimeoutMs, serviceDomain, retention} = options;
	const catalog = await loadServerCatalog(environment);
	const isEphemeral = location.engine === 'sqlite' && location.file === ':memory:';
	const seal = createSeal(isEphemeral ? createSealKey() : await loadSealKey(folder, environment));
	const database = await openDatabase(location, {
		onLost: error => log({level: 'warn', message: 'database connection lost', error: error.message}),
		onStep: migration => log({level: 'warn', message: 'migration', migration}),
	});
	if (location.engine === 'postgres' && location.connections !== undefined) {
		fitTurns(database, location.connections);
	}

	const clock =
		location.engine === 'postgres'
			? await (await import('./database-clock.ts')).openDatabaseClock(database, log)
			: undefined;
	let url = publicUrl ?? '';
	const isProxied = publicUrl !== undefined;
	const counters = options.metrics && createCounters();
	const shared = {
		database,
		counters,
		now: clock?.now ?? (() => new Date()),
		publicUrl: () => url,
		isProxied,
		log,
		seal,
		passwordCost: fullCost,
		oidc: options.oidc,
		// What listens inside a container has no address here.
		publicServices:
			isProxied || serviceDomain || !isLocal(host) || options.provider ? {domain: serviceDomain} : undefined,
	};
	const artifacts = openArtifacts(options.artifacts ?? {kind: 'disk', folder: join(folder, 'artifacts')}, shared);
	const sandboxes = createSandboxing({
		folder,
		hidden,
		log,
		isEphemeral,
		isShared: location.engine === 'postgres',
		allowUncontained: options.unsafeSandboxes,
		openRanges: options.openRanges,
		provider: options.provider,
		room: options.room,
		policy: retention?.logs === undefined ? {} : {logRetentionMs: retention.logs * 24 * 60 * 60 * 1000},
		logBlobs: options.artifacts?.kind === 's3' ? artifacts.blobs : undefined,
	});
	const services: Services = {...shared, catalog, artifacts, sandboxes, storageLimit};
	try {
		await applySeal(database, seal);
		let bound = 0;
		const id = randomUUID();
		// A database in memory has no other servers.
		const forwarding = isEphemeral
			? undefined
			: (await import('../forward/forwarding.ts')).createForwarding({
					...shared,
					derive: seal.derive,
					self: id,
					host: sandboxes.host,
				});
		const reachable = {names: namesOf(host), port: () => bound, forwarding};
		let isDraining = false;
		const {minimumClient} = options;
		const {hosting} = options;
		const hosted =
			hosting &&
			(await (
				await import('../host-sessions/host-sessions.ts')
			).openHostSessions({
				services,
				choice: hosting,
				folder,
				...reachable,
			}));
		const app = createApp({
			services,
			...reachable,
			demo,
			minimumClient,
			routes: hosted?.routes ?? [],
			isDraining: () => isDraining,
		});
		const proxy = lazyServiceProxy({services, ...reachable});
		const raw = hosted ? firstHandler([hosted.handler, proxy]) : proxy;
		const metrics = counters && (await openMetrics({database, now: shared.now, counters}, options.metrics));
		const onDone = (record: RequestRecord) => {
			metrics?.count(record);
			logRequest(log, record, url);
		};
		const {debug} = options;
		const listening = await listen(app, {host, port, keepAliveMs, closeTimeoutMs, debug, onDone, raw});
		bound = Number(new URL(listening.url).port || 80);
		url = publicUrl ?? listening.url;
		const keeper = monitorSandboxes(services, {id, address: options.address ?? addressOf(listening.url)});
		const collector = await startCollector(services);
		const cleanup = startCleanup(services);
		const deleting = startDeletions(services);
		const retaining = retention && (await import('../retention/retention.ts')).startRetention(services, retention);
		return {
			url: listening.url,
			services,
			app,
			inProgress: listening.inProgress,
			drain() {
				isDraining = true;
			},
			metricsUrl: metrics?.url,
			async close() {
				await listening.close();
				await hosted?.close();
				await metrics?.close();
				await keeper.close();
				await collector?.close();
				await cleanup.close();
				await deleting.close();
				await retaining?.close();
				if (isEphemeral) {
					await endSandboxes(services);
				}

				await sandboxes.provider.close();
				await clock?.close();
				await database.destroy();
			},
		};
	} catch (error) {
		await clock?.close();
		await database.destroy();
		throw explainDatabaseFault(location, error);
	}
}

/** Serves metrics on an address of their own. What makes them is loaded only here. */
async function openMetrics(source: Omit<Parameters<typeof createMetrics>[0], 'pool'>, address?: MetricsAddress) {
	if (!address) {
		return undefined;
	}

	const [{createMetrics: create}, {serveMetrics}] = await Promise.all([
		import('../metrics/metrics.ts'),
		import('../metrics/serve-metrics.ts'),
	]);
	const metrics = create({...source, pool: poolOf(source.database)});
	return {...(await serveMetrics(metrics, address)), count: metrics.count};
}

async function startCollector(services: Services): Promise<{readonly close: () => Promise<void>} | undefined> {
	return services.sandboxes.collectsLogs
		? (await import('../sandboxes/log-collector.ts')).collectLogs(services)
		: undefined;
}

/** Returns whether only this machine reaches what listens on a host. */
function isLocal(host = '127.0.0.1'): boolean {
	return isLoopback(new URL(`http://${host.includes(':') ? `[${host}]` : host}`));
}

/** Returns where other machines reach a server, given where it listens. */
function addressOf(url: string): string {
	return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, `//${hostname()}`);
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

/** How often a server looks whether an organization is to be deleted. */
const deletionIntervalMs = 15_000;

/** Starts to go on with deletions of organizations. What does that is loaded for the first one. */
function startDeletions(services: Services): {readonly close: () => Promise<void>} {
	const server = randomUUID();
	const stopping = new AbortController();
	const options = {log: services.log, message: 'organization deletion', everyMs: deletionIntervalMs};
	const repeated = repeat(options, async () => {
		const {database} = services;
		const query = database.selectFrom('organizations').select('id').where('deleting_at', 'is not', null).limit(1);
		if (await query.executeTakeFirst()) {
			const {deleteOrganizations} = await import('../retention/delete-organization.ts');
			await deleteOrganizations(services, {server, signal: stopping.signal});
		}
	});
	return {
		async close() {
			stopping.abort();
			await repeated.close();
		},
	};
}

const defaultIntervalMs = 10 * 60_000;

type Shared = Pick<Services, 'database' | 'now' | 'log'>;

/**
 * Starts a periodic cleanup of expired rows, which one of the servers on a database does. Login attempts of strangers are
 * stored as rows, too.
 */
export function startCleanup(services: Shared, intervalMs = defaultIntervalMs): {readonly close: () => Promise<void>} {
	const server = randomUUID();
	const isOurs = () =>
		takeSweep(services.database, {
			name: 'expired rows',
			server,
			nowMs: services.now().getTime(),
			leaseMs: intervalMs,
		});
	return repeat({log: services.log, message: 'sweep', everyMs: intervalMs, afterMs: intervalMs}, async () => {
		if (await isOurs()) {
			await sweepExpired(services);
		}
	});
}

/** Deletes rows that expired over an hour ago; invitations, which are listed, a month later. */
async function sweepExpired({database, now}: Shared): Promise<void> {
	const hourAgo = new Date(now().getTime() - 60 * 60 * 1000).toISOString();
	for (const table of [
		'tokens',
		'device_authorizations',
		'browser_sessions',
		'password_codes',
		'execute_tokens',
		'oidc_logins',
	] as const) {
		await database.deleteFrom(table).where('expires_at', '<', hourAgo).execute();
	}

	const monthAgo = new Date(now().getTime() - 30 * 24 * 60 * 60 * 1000).toISOString();
	await database.deleteFrom('invitations').where('expires_at', '<', monthAgo).execute();
	await database.deleteFrom('attempts').where('resets_at', '<', hourAgo).execute();
}
