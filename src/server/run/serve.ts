import {chmodSync, closeSync, existsSync, openSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Debug} from '../../core/debug.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {openHome} from '../../storage/home.ts';
import {makeFolder} from '../../storage/private-folder.ts';
import {withSecretFiles} from '../../storage/setting-file.ts';
import {setAdministrator} from '../accounts/administrators.ts';
import {createApiKey} from '../accounts/api-key.ts';
import {operator, recordAct} from '../accounts/audit-log.ts';
import {
	type FirstPlaces,
	findOnlyOrganization,
	findOwner,
	type Initialized,
	initialize,
} from '../accounts/initialize.ts';
import {addMember, type Joined, type NewMember, type Removed, removeMember} from '../accounts/members.ts';
import {type OidcFlags, parseOidc} from '../accounts/oidc/oidc-settings.ts';
import {createPasswordCode} from '../accounts/password-code.ts';
import {forgetSealKey} from '../accounts/seal-key.ts';
import {removeSecondFactor} from '../accounts/second-factor.ts';
import {type Account, findAccountByEmail, normalizeEmail} from '../accounts/user.ts';
import {parseBucket} from '../artifacts/artifact-location.ts';
import {type CreditChange, type CreditState, changeCredits} from '../credits/change.ts';
import {whenDatabaseAnswers} from '../database/await-database.ts';
import {type DatabaseLocation, parseDatabaseUrl} from '../database/location.ts';
import type {PlannedMigration} from '../database/migrate.ts';
import {explainDatabaseFault, migrateDatabase, openDatabase, plannedMigrations} from '../database/open.ts';
import type {FileLock} from '../database/sqlite.ts';
import {installDemo} from '../demo/install-demo.ts';
import type {HostingChoice} from '../host-sessions/host-passes.ts';
import {jsonLog, type LogLevel} from '../kit/log.ts';
import type {DataAccess} from '../kit/services.ts';
import {parseRetention} from '../retention/retention.ts';
import {forgetMachine, listMachines, type MachineState} from '../sandboxes/lost-machines.ts';
import type {MachineRoom} from '../sandboxes/machine-room.ts';
import {changeLimits, type LimitChange, type LimitState} from '../sandboxes/organization-limits.ts';
import {countSandboxes} from '../sandboxes/sandbox-monitor.ts';
import {platformPolicy} from '../sandboxes/sandboxing.ts';
import {type RunningServer, startServer} from './start.ts';

type DataOptions = {readonly env: Environment; readonly data?: string; readonly database?: string};

type ServeOptions = DataOptions &
	OidcFlags & {
		readonly host: string | undefined;
		readonly port: number;
		/** The bucket for artifacts; by default they are kept in the data folder. */
		readonly artifacts: string | undefined;
		/** Maximum bytes of spans and artifacts for each organization; 10 GB by default. */
		readonly storageLimit: number | undefined;
		/** After how many days what is deleted, as `parseRetention` reads it; everything is kept by default. */
		readonly retention?: string | undefined;
		/** Where browsers and clients reach the server, if that differs from where it listens. May have a path. */
		readonly publicUrl: string | undefined;
		/** Where servers of other machines reach it; by default the address that it listens on. */
		readonly address?: string | undefined;
		/** `host[:port]` below which each service of a sandbox gets a host of its own. */
		readonly serviceDomain?: string | undefined;
		/** How long a connection stays open between two requests; 75 seconds by default. */
		readonly keepAliveMs?: number | undefined;
		/** How many connections to PostgreSQL it opens at most; 10 by default. */
		readonly connections?: number | undefined;
		/** What all sandboxes on this machine may have together. */
		readonly room?: MachineRoom | undefined;
		/** What runs sandboxes: `local`, the default, `docker[=address]` or `kubernetes[=context/namespace]`. */
		readonly engine?: string | undefined;
		/** The image of tasks that name none, the runtime of containers, and the network of tasks with `network: open`. */
		readonly image?: string | undefined;
		readonly runtime?: string | undefined;
		readonly openNetwork?: string | undefined;
		/** Whether tasks may run with the server's own permissions if containment isn't available. */
		readonly unsafeSandboxes: boolean;
		/** The oldest client version that the server accepts. */
		readonly minimumClient?: string | undefined;
		/** Hosts sessions of users; none by default. */
		readonly hosting?: HostingChoice | undefined;
		/** Whether to install the demo. */
		readonly demo: boolean;
		readonly logLevel: LogLevel;
		readonly writeLog: (line: string) => void;
		/** Gets an entry for each request. */
		readonly debug?: Debug | undefined;
		/** Ends the server when it aborts. */
		readonly signal: AbortSignal;
		/** Called with a sentence when the server begins to wait for its database, and when that answers. */
		readonly onWaiting?: (sentence: string) => void;
		/** `host:port` where metrics are served; nowhere by default. */
		readonly metrics?: string | undefined;
		/** Called if other machines may reach them. */
		readonly onOpenMetrics?: (address: string) => void;
		/** How long it still answers after the signal, while `/readyz` says that it stops; 0 by default. */
		readonly drainMs?: number | undefined;
		/** Called when it begins with that. */
		readonly onDraining?: (drainMs: number) => void;
		/** Called when the server ends while requests are in progress, with their number. */
		readonly onFinishing?: (requests: number) => void;
	};

export type Served = {
	readonly url: string;
	/** Where Prometheus reads the metrics. */
	readonly metricsUrl: string | undefined;
	readonly folder: string;
	readonly engine: 'sqlite' | 'postgres';
	/** The owner of the demo, if it was just created. */
	readonly demo: Initialized | undefined;
	/** Whether no users exist yet. */
	readonly isEmpty: boolean;
	/** How tasks are contained, in a few words. */
	readonly sandboxes: string;
	/** Resolves once the server has closed, with the number of sandboxes that keep running. */
	readonly ended: Promise<number>;
};

/** Opens the database for one task. A server may run on it at the same time. */
async function withData<T>({env, data, database}: DataOptions, work: (services: OpenData) => Promise<T>): Promise<T> {
	const {location} = openDataFolder(env, {data, database});
	const opened = await openDatabase(location, {upgrades: false});
	try {
		return await work({database: opened, now: () => new Date()});
	} catch (error) {
		throw explainDatabaseFault(location, error);
	} finally {
		await opened.destroy();
	}
}

type OpenData = DataAccess;

/** `serve init`: creates the first user and their scope. Throws what `initialize` throws. */
export function initializeData(data: DataOptions, beginning: FirstPlaces): Promise<Initialized> {
	return withData(data, services => initialize(services, beginning));
}

/** Returns the e-mail address of the longest-standing owner; undefined if the organization doesn't exist. */
export function ownerOf(data: DataOptions, organization: string): Promise<string | undefined> {
	return withData(data, services => findOwner(services, organization));
}

/** Returns the given organization, or the only one of the server; throws what `findOnlyOrganization` throws. */
export async function organizationOf(data: DataOptions, given: string | undefined): Promise<string> {
	return given ?? (await withData(data, findOnlyOrganization));
}

/** `serve limits`: changes limits and returns the result; throws what `changeLimits` throws. */
export function changeLimitsOf(data: DataOptions, change: LimitChange): Promise<LimitState> {
	return withData(data, services => changeLimits(services, change));
}

/** `serve member`: adds a member; throws what `addMember` throws. */
export function addToOrganization(data: DataOptions, given: NewMember): Promise<Joined> {
	return withData(data, services => addMember(services, given));
}

/** `serve member --remove`: removes a member; throws what `removeMember` throws. */
export function removeFromOrganization(data: DataOptions, given: Omit<NewMember, 'role'>): Promise<Removed> {
	return withData(data, services => removeMember(services, given));
}

/** `serve admin`: makes a user an administrator of the server, or no longer one; throws what `setAdministrator` throws. */
export function administratorOf(data: DataOptions, email: string, isAdministrator: boolean) {
	return withData(data, services => setAdministrator(services, {email, isAdministrator}));
}

/** `serve key`: creates an API key of a user. Throws `AppError("not-found")` for an unknown address. */
export function makeKeyOf(data: DataOptions, email: string): Promise<Secret> {
	return withData(data, async services => {
		const {id: userId} = await userOf(services, email);
		return await services.database.transaction().execute(async database => {
			const {record, secret} = await createApiKey({...services, database}, {userId, name: 'serve key'});
			await recordAct(database, operator, {
				act: 'key.create',
				organizationId: null,
				subject: {id: record.id, name: record.prefix},
				details: {name: record.name, user: normalizeEmail(email)},
				at: services.now(),
			});
			return secret;
		});
	});
}

/**
 * `serve password`: creates a code with which a user sets a password. On request it turns off their second factor, for a
 * lost app and recovery codes; the database accepts another seal key if that was the last one. Throws
 * `AppError("not-found")` for an unknown address.
 */
export function makePasswordCodeOf(data: DataOptions, email: string, {dropSecondFactor = false} = {}): Promise<Secret> {
	return withData(data, async services => {
		const {id} = await userOf(services, email);
		if (dropSecondFactor) {
			await removeSecondFactor(services, id);
			await forgetSealKey(services.database);
		}

		return await services.database.transaction().execute(async database => {
			await recordAct(database, operator, {
				act: 'user.password',
				organizationId: null,
				subject: {id, name: normalizeEmail(email)},
				details: {second_factor_dropped: dropSecondFactor},
				at: services.now(),
			});
			return await createPasswordCode({...services, database}, id);
		});
	});
}

async function userOf(services: OpenData, email: string): Promise<Account> {
	const account = await findAccountByEmail(services, email);
	if (!account) {
		throw new AppError('not-found', `User not found: “${email}”.`, {
			hint: 'Add one with `serve member <email>`.',
		});
	}

	return account;
}

/**
 * `serve migrate`: brings the schema up to date. Returns what it did, or with `dryRun` what it would do. `onStep` is called
 * before each migration.
 */
export async function migrateData(
	{env, data, database}: DataOptions,
	{dryRun, onStep}: {readonly dryRun: boolean; readonly onStep: (name: string) => void},
): Promise<readonly PlannedMigration[]> {
	const {location} = openDataFolder(env, {data, database});
	const planned = await plannedMigrations(location);
	if (!dryRun) {
		await migrateDatabase(location, {onStep});
	}

	return planned;
}

/** `serve machine list`: returns the machines of all servers on the database. */
export function machinesOf(data: DataOptions): Promise<readonly MachineState[]> {
	return withData(data, listMachines);
}

/** `serve machine forget`: ends what a lost machine keeps, and removes it; throws what `forgetMachine` throws. */
export function forgetMachineOf(data: DataOptions, id: string): Promise<MachineState & {readonly ended: number}> {
	const rate = platformPolicy.creditsPerHour;
	return withData(data, services => forgetMachine({...services, log: () => {}, rate}, id));
}

/** `serve credits`: changes credits and returns the result; throws what `changeCredits` throws. */
export function changeCreditsOf(data: DataOptions, change: CreditChange): Promise<CreditState> {
	return withData(data, services => changeCredits(services, change));
}

/**
 * `serve`: opens the data and listens until `signal` aborts. Throws AppError for invalid data or an unavailable port,
 * and AppError("conflict") if another server uses the same SQLite folder.
 */
export async function serve(given: ServeOptions): Promise<Served> {
	const options = {...given, env: withSecretFiles(given.env)};
	const {env, data, database, artifacts, storageLimit, host, port, publicUrl, unsafeSandboxes, demo} = options;
	const {logLevel, writeLog, signal} = options;
	const metrics = options.metrics === undefined ? undefined : await openMetricsAddress(options.metrics);
	if (metrics?.isEverywhere) {
		options.onOpenMetrics?.(options.metrics ?? '');
	}

	const oidc = parseOidc(options, env);
	const retention = options.retention === undefined ? undefined : parseRetention(options.retention);
	const provider = await openProvider(options);
	const openRanges = provider ? [] : await rangesOf(options.openNetwork);
	const bucket = artifacts === undefined ? undefined : parseBucket(artifacts, env);
	const {folder, location: found} = openDataFolder(env, {data, database});
	const location = withConnections(found, options.connections);
	const lock = location.engine === 'sqlite' ? await lockFolder(folder) : undefined;
	const open = () =>
		startServer({
			location,
			folder,
			// The user who runs the server may keep credentials for other servers there.
			hidden: [openHome(env).path],
			...(bucket && {artifacts: bucket}),
			...(storageLimit !== undefined && {storageLimit}),
			retention,
			host,
			port,
			publicUrl,
			address: options.address,
			serviceDomain: options.serviceDomain,
			keepAliveMs: options.keepAliveMs,
			hosting: options.hosting,
			room: options.room,
			provider,
			metrics,
			oidc,
			unsafeSandboxes,
			openRanges,
			minimumClient: options.minimumClient,
			environment: env,
			log: jsonLog(writeLog, {minLevel: logLevel}),
			debug: options.debug,
		});
	const {onWaiting: onChange} = options;
	const server = await whenDatabaseAnswers(open, {signal, onChange}).catch(error => {
		lock?.release();
		throw error;
	});
	const demoOwner = demo ? await installDemo(server.app, server.services) : undefined;
	const first = await server.services.database.selectFrom('users').select('id').limit(1).executeTakeFirst();
	const sandboxes = await server.services.sandboxes.provider.summary();
	const ended = new Promise<number>((resolve, reject) => {
		const end = async () => {
			const {drainMs = 0} = options;
			if (drainMs > 0) {
				server.drain();
				options.onDraining?.(drainMs);
				await sleep(drainMs);
			}

			const requests = server.inProgress();
			if (requests > 0) {
				options.onFinishing?.(requests);
			}

			return await endServer(server, lock);
		};
		const endOnce = () => void end().then(resolve, reject);
		if (signal.aborted) {
			endOnce();
		} else {
			signal.addEventListener('abort', endOnce, {once: true});
		}
	});
	const isEmpty = first === undefined;
	const {url, metricsUrl} = server;
	return {url, metricsUrl, folder, engine: location.engine, demo: demoOwner, isEmpty, sandboxes, ended};
}

/** Returns where the data is, with the size of the pool. Throws AppError("usage") for SQLite, which has one connection. */
export function withConnections(location: DatabaseLocation, connections: number | undefined): DatabaseLocation {
	if (connections === undefined) {
		return location;
	}

	if (location.engine === 'sqlite') {
		throw new AppError('usage', '--pool is for PostgreSQL. SQLite has one connection.', {
			hint: 'Leave out --pool, or add --database.',
		});
	}

	return {...location, connections};
}

type EngineChoice = Pick<ServeOptions, 'engine' | 'env' | 'image' | 'runtime' | 'openNetwork'>;

/** Returns the provider of the chosen engine; undefined for this machine. Loads nothing for that. */
export async function openProvider({engine = 'local', env, image, runtime, openNetwork}: EngineChoice) {
	if (/^kubernetes(?:=|$)/.test(engine)) {
		const {openKubernetes} = await import('../sandboxes/kubernetes/open-kubernetes.ts');
		return openKubernetes({engine, image, runtime, openNetwork}, env);
	}

	if (engine !== 'local') {
		const {openEngine} = await import('../sandboxes/docker/open-engine.ts');
		return openEngine({engine, image, runtime, openNetwork}, env);
	}

	if (image !== undefined || runtime !== undefined) {
		throw new AppError('usage', '--image and --runtime are for containers.', {
			hint: 'Add --engine docker or --engine kubernetes.',
		});
	}

	await rangesOf(openNetwork);
	return undefined;
}

/** Returns the private ranges that tasks on this machine reach, if they allow single hosts. */
async function rangesOf(openNetwork: string | undefined): Promise<readonly string[]> {
	if (openNetwork === undefined) {
		return [];
	}

	const {parseOpenRanges} = await import('../egress/open-ranges.ts');
	return parseOpenRanges(openNetwork, 'Use --open-network with ranges as 10.1.0.0/16; a name needs --engine docker.');
}

async function openMetricsAddress(address: string) {
	const {parseMetricsAddress} = await import('../metrics/serve-metrics.ts');
	return parseMetricsAddress(address);
}

/** Closes a server and returns how many sandboxes on this machine keep running. */
async function endServer({services, close}: RunningServer, lock: {release: () => void} | undefined): Promise<number> {
	try {
		const running = await countSandboxes(services).catch(() => 0);
		await close();
		return running;
	} finally {
		lock?.release();
	}
}

/** Locks the folder, because two servers on one SQLite file would block each other. */
async function lockFolder(folder: string): Promise<FileLock> {
	const {lockFile} = await import('../database/sqlite.ts');
	const file = privateFile(join(folder, 'serving.lock'));
	let lock: FileLock | undefined;
	try {
		lock = lockFile(file);
	} catch (error) {
		throw explainDatabaseFault({engine: 'sqlite', file}, error);
	}

	if (!lock) {
		throw new AppError('conflict', `Another server is using the data in ${folder}.`, {
			hint: 'Stop it, or use another --data. Several servers can share PostgreSQL with --database.',
		});
	}

	return lock;
}

/** Where a server keeps its data. */
type DataLocation = {
	/** A private folder for sandbox logs, artifacts and the SQLite file; an absolute path. */
	readonly folder: string;
	readonly location: DatabaseLocation;
};

type Named = {
	/** The folder; by default `server` in the state folder. */
	readonly data?: string | undefined;
	/** The URL of a PostgreSQL server to use instead of SQLite. */
	readonly database?: string | undefined;
};

/**
 * Opens the data folder of a server, and creates it as a private folder (SAFETY 10). Throws AppError("usage") for a
 * database URL other than PostgreSQL, and AppError("failed") if the folder can't be created.
 */
export function openDataFolder(env: Environment, {data, database}: Named): DataLocation {
	const location = database === undefined ? undefined : parseDatabaseUrl(database);
	const folder = data === undefined ? openHome(env).server : resolve(data);
	try {
		makeFolder(folder);
		const names = readdirSync(folder);
		if (names.length > 0 && !names.includes(dataMarker)) {
			throw new AppError('usage', `${folder} already contains other files.`, {
				hint: 'Use an empty or new folder for --data.',
			});
		}

		chmodSync(folder, 0o700);
		privateFile(join(folder, dataMarker));
		return {folder, location: location ?? {engine: 'sqlite', file: privateFile(join(folder, 'service.db'))}};
	} catch (error) {
		const fault = explainFileError(error, existsSync(folder) ? 'write' : 'create', folder);
		throw data !== undefined && fault instanceof AppError && fault !== error
			? new AppError(fault.code, fault.message, {
					hint: 'Let the user of the server write there, or choose another --data.',
					cause: error,
				})
			: fault;
	}
}

/** The file that identifies a data folder. The mode of any other folder is never changed, whatever `--data` names. */
export const dataMarker = '.service-data';

/** Creates a private file. SQLite would use the umask, and copies the database's mode to the files beside it. */
function privateFile(path: string): string {
	closeSync(openSync(path, 'a', 0o600));
	chmodSync(path, 0o600);
	return path;
}
