import {chmodSync, closeSync, openSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Debug} from '../../core/debug.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {openHome} from '../../storage/home.ts';
import {makeFolder} from '../../storage/private-folder.ts';
import {createApiKey} from '../accounts/api-key.ts';
import {
	type FirstPlaces,
	findOnlyOrganization,
	findOwner,
	type Initialized,
	initialize,
} from '../accounts/initialize.ts';
import {addMember, type Joined, type NewMember, type Removed, removeMember} from '../accounts/members.ts';
import {createPasswordCode} from '../accounts/password-code.ts';
import {forgetSealKey} from '../accounts/seal-key.ts';
import {removeSecondFactor} from '../accounts/second-factor.ts';
import {type Account, findAccountByEmail} from '../accounts/user.ts';
import {parseBucket} from '../artifacts/artifact-location.ts';
import {type CreditChange, type CreditState, changeCredits} from '../credits/change.ts';
import {type DatabaseLocation, parseDatabaseUrl} from '../database/location.ts';
import {openDatabase} from '../database/open.ts';
import {installDemo} from '../demo/install-demo.ts';
import {jsonLog, type LogLevel} from '../kit/log.ts';
import type {DataAccess} from '../kit/services.ts';
import {forgetMachine, listMachines, type MachineState} from '../sandboxes/lost-machines.ts';
import {changeLimits, type LimitChange, type LimitState} from '../sandboxes/organization-limits.ts';
import {countSandboxes} from '../sandboxes/sandbox-monitor.ts';
import {platformPolicy} from '../sandboxes/sandboxing.ts';
import {type RunningServer, startServer} from './start.ts';

type DataOptions = {readonly env: Environment; readonly data?: string; readonly database?: string};

type ServeOptions = DataOptions & {
	readonly host: string | undefined;
	readonly port: number;
	/** The bucket for artifacts; by default they are kept in the data folder. */
	readonly artifacts: string | undefined;
	/** Maximum bytes of spans and artifacts for each organization; 10 GB by default. */
	readonly storageLimit: number | undefined;
	/** Where browsers and clients reach the server, if that differs from where it listens. May have a path. */
	readonly publicUrl: string | undefined;
	/** How long a connection stays open between two requests; 75 seconds by default. */
	readonly keepAliveMs?: number | undefined;
	/** Whether tasks may run with the server's own permissions if containment isn't available. */
	readonly unsafeSandboxes: boolean;
	/** The oldest client version that the server accepts. */
	readonly minimumClient?: string | undefined;
	/** Whether to install the demo. */
	readonly demo: boolean;
	readonly logLevel: LogLevel;
	readonly writeLog: (line: string) => void;
	/** Gets an entry for each request. */
	readonly debug?: Debug | undefined;
	/** Ends the server when it aborts. */
	readonly signal: AbortSignal;
	/** Called when the server ends while requests are in progress, with their number. */
	readonly onFinishing?: (requests: number) => void;
};

export type Served = {
	readonly url: string;
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
	const opened = await openDatabase(location);
	try {
		return await work({database: opened, now: () => new Date()});
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

/** `serve key`: creates an API key of a user. Throws `AppError("not-found")` for an unknown address. */
export function makeKeyOf(data: DataOptions, email: string): Promise<Secret> {
	return withData(data, async services => {
		const {id: userId} = await userOf(services, email);
		return (await createApiKey(services, {userId, name: 'serve key'})).secret;
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

		return await createPasswordCode(services, id);
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
export async function serve(options: ServeOptions): Promise<Served> {
	const {env, data, database, artifacts, storageLimit, host, port, publicUrl, unsafeSandboxes, demo} = options;
	const {logLevel, writeLog, signal} = options;
	const bucket = artifacts === undefined ? undefined : parseBucket(artifacts, env);
	const {folder, location} = openDataFolder(env, {data, database});
	const lock = location.engine === 'sqlite' ? await lockFolder(folder) : undefined;
	const server = await startServer({
		location,
		folder,
		// The user who runs the server may keep credentials for other servers there.
		hidden: [openHome(env).path],
		...(bucket && {artifacts: bucket}),
		...(storageLimit !== undefined && {storageLimit}),
		host,
		port,
		publicUrl,
		keepAliveMs: options.keepAliveMs,
		unsafeSandboxes,
		minimumClient: options.minimumClient,
		environment: env,
		log: jsonLog(writeLog, {minLevel: logLevel}),
		debug: options.debug,
	}).catch(error => {
		lock?.release();
		throw error;
	});
	const demoOwner = demo ? await installDemo(server.app, server.services) : undefined;
	const first = await server.services.database.selectFrom('users').select('id').limit(1).executeTakeFirst();
	const sandboxes = await server.services.sandboxes.provider.summary();
	const ended = new Promise<number>((resolve, reject) => {
		const end = () => {
			const requests = server.inProgress();
			if (requests > 0) {
				options.onFinishing?.(requests);
			}

			endServer(server, lock).then(resolve, reject);
		};
		if (signal.aborted) {
			end();
		} else {
			signal.addEventListener('abort', end, {once: true});
		}
	});
	const isEmpty = first === undefined;
	return {url: server.url, folder, engine: location.engine, demo: demoOwner, isEmpty, sandboxes, ended};
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
async function lockFolder(folder: string) {
	const {lockFile} = await import('../database/sqlite.ts');
	const lock = lockFile(privateFile(join(folder, 'serving.lock')));
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
		if (names.length > 0 && !names.includes(markerFile)) {
			throw new AppError('usage', `${folder} already contains other files.`, {
				hint: 'Use an empty or new folder for --data.',
			});
		}

		chmodSync(folder, 0o700);
		privateFile(join(folder, markerFile));
		return {folder, location: location ?? {engine: 'sqlite', file: privateFile(join(folder, 'service.db'))}};
	} catch (error) {
		throw explainFileError(error, 'create', folder);
	}
}

/** The file that identifies a data folder. The mode of any other folder is never changed, whatever `--data` names. */
const markerFile = '.service-data';

/** Creates a private file. SQLite would use the umask, and copies the database's mode to the files beside it. */
function privateFile(path: string): string {
	closeSync(openSync(path, 'a', 0o600));
	chmodSync(path, 0o600);
	return path;
}
