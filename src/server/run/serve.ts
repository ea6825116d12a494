import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import {openHome} from '../../storage/home.ts';
import {makeApiKey} from '../accounts/api-key.ts';
import {
	addMember,
	type Beginning,
	findOwner,
	type Initialized,
	initialize,
	type Joined,
	type NewMember,
} from '../accounts/initialize.ts';
import {makePasswordCode} from '../accounts/password-code.ts';
import {forgetSealKey} from '../accounts/seal-key.ts';
import {removeSecondFactor} from '../accounts/second-factor.ts';
import {type Account, findAccountByEmail} from '../accounts/user.ts';
import {bucketOf} from '../artifacts/artifact-place.ts';
import {type CreditChange, type CreditState, changeCredits} from '../credits/change.ts';
import {openDatabase} from '../database/open.ts';
import {installDemo} from '../demo/install-demo.ts';
import type {Services} from '../handlers/services.ts';
import {jsonLog, type LogLevel} from '../kit/log.ts';
import {countSandboxes} from '../sandboxes/keeper.ts';
import {changeLimits, type LimitChange, type LimitState} from '../sandboxes/organization-limits.ts';
import {openDataFolder, privateFile} from './data-folder.ts';
import {type RunningServer, startServer} from './start.ts';

type Place = {readonly env: Environment; readonly data?: string; readonly database?: string};

type ServeOptions = Place & {
	readonly host: string | undefined;
	readonly port: number;
	/** The bucket that artifacts are kept in, instead of the data folder. */
	readonly artifacts: string | undefined;
	/** Most bytes of spans and artifacts that an organization may store; 10 GB where nothing is said. */
	readonly storageLimit: number | undefined;
	/** Where browsers and clients reach it, if that is not where it listens: an origin. */
	readonly publicUrl: string | undefined;
	/** Whether tasks may run with all rights of the server where nothing keeps them apart. */
	readonly unsafeSandboxes: boolean;
	/** The oldest version of this program that it answers. */
	readonly minimumClient?: string | undefined;
	/** Whether the demonstration is to be there. */
	readonly demo: boolean;
	readonly logLevel: LogLevel;
	readonly writeLog: (line: string) => void;
	/** Ends the server when it aborts. */
	readonly signal: AbortSignal;
};

export type Served = {
	readonly url: string;
	readonly folder: string;
	readonly engine: 'sqlite' | 'postgres';
	/** Who the demonstration belongs to, where it was made just now. */
	readonly demo: Initialized | undefined;
	/** Whether anybody could log in yet. */
	readonly isEmpty: boolean;
	/** How tasks are kept apart, in a few words. */
	readonly sandboxes: string;
	/** Resolves when the signal has ended it and everything is closed, with how many sandboxes go on. */
	readonly ended: Promise<number>;
};

/** Opens the data for one piece of work, beside a server that may run on it. */
async function withData<T>({env, data, database}: Place, work: (services: OpenData) => Promise<T>): Promise<T> {
	const {place} = openDataFolder(env, {data, database});
	const opened = await openDatabase(place);
	try {
		return await work({database: opened, now: () => new Date()});
	} finally {
		await opened.destroy();
	}
}

type OpenData = Pick<Services, 'database' | 'now'>;

/** `serve init`: makes what `initialize` makes, and throws what that throws. */
export function initializeData(place: Place, beginning: Beginning): Promise<Initialized> {
	return withData(place, services => initialize(services, beginning));
}

/** The e-mail address of the owner of longest standing; undefined where there is no such organization. */
export function ownerOf(place: Place, organization: string): Promise<string | undefined> {
	return withData(place, services => findOwner(services, organization));
}

/** `serve limits`: changes what is said and gives what is then, and throws what `changeLimits` throws. */
export function changeLimitsOf(place: Place, change: LimitChange): Promise<LimitState> {
	return withData(place, services => changeLimits(services, change));
}

/** `serve member`: makes somebody a member, and throws what `addMember` throws. */
export function addToOrganization(place: Place, given: NewMember): Promise<Joined> {
	return withData(place, services => addMember(services, given));
}

/** `serve key`: an API key of a user. Throws `not-found` for an address that nobody has. */
export function makeKeyOf(place: Place, email: string): Promise<Secret> {
	return withData(place, async services => {
		const {id: userId} = await userOf(services, email);
		return (await makeApiKey(services, {userId, name: 'serve key'})).secret;
	});
}

/**
 * `serve password`: a code with which a user chooses a password. Turns his second factor off on request, for who has lost
 * the app and the recovery codes; the database takes another seal key where that was the last one. Throws `not-found` for an
 * address that nobody has.
 */
export function makePasswordCodeOf(place: Place, email: string, {dropSecondFactor = false} = {}): Promise<Secret> {
	return withData(place, async services => {
		const {id} = await userOf(services, email);
		if (dropSecondFactor) {
			await removeSecondFactor(services, id);
			await forgetSealKey(services.database);
		}

		return await makePasswordCode(services, id);
	});
}

async function userOf(services: OpenData, email: string): Promise<Account> {
	const account = await findAccountByEmail(services, email);
	if (!account) {
		throw new AppError('not-found', `This data has no user “${email}”.`, {
			hint: 'Add one with `serve member <email>`.',
		});
	}

	return account;
}

/** `serve credits`: changes what is said and gives what is then, and throws what `changeCredits` throws. */
export function changeCreditsOf(place: Place, change: CreditChange): Promise<CreditState> {
	return withData(place, services => changeCredits(services, change));
}

/**
 * `serve`: opens the data and listens until `signal` aborts. Throws `AppError` for a place or a port that cannot be used, and
 * `conflict` where another server runs on a folder with SQLite.
 */
export async function serve(options: ServeOptions): Promise<Served> {
	const {env, data, database, artifacts, storageLimit, host, port, publicUrl, unsafeSandboxes, demo} = options;
	const {logLevel, writeLog, signal} = options;
	const bucket = artifacts === undefined ? undefined : bucketOf(artifacts, env);
	const {folder, place} = openDataFolder(env, {data, database});
	const hold = place.engine === 'sqlite' ? await holdFolder(folder) : undefined;
	const server = await startServer({
		place,
		folder,
		// Whoever runs the server may have credentials for others there.
		hidden: [openHome(env).path],
		...(bucket && {artifacts: bucket}),
		...(storageLimit !== undefined && {storageLimit}),
		host,
		port,
		publicUrl,
		unsafeSandboxes,
		minimumClient: options.minimumClient,
		environment: env,
		log: jsonLog(writeLog, {least: logLevel}),
	}).catch(error => {
		hold?.release();
		throw error;
	});
	const made = demo ? await installDemo(server.app, server.services) : undefined;
	const first = await server.services.database.selectFrom('users').select('id').limit(1).executeTakeFirst();
	const sandboxes = await server.services.sandboxes.provider.summary();
	const ended = new Promise<number>((resolve, reject) => {
		const end = () => void endServer(server, hold).then(resolve, reject);
		if (signal.aborted) {
			end();
		} else {
			signal.addEventListener('abort', end, {once: true});
		}
	});
	const isEmpty = first === undefined;
	return {url: server.url, folder, engine: place.engine, demo: made, isEmpty, sandboxes, ended};
}

/** Closes a server, and gives how many sandboxes of this machine go on without it. */
async function endServer({services, close}: RunningServer, hold: {release: () => void} | undefined): Promise<number> {
	try {
		const running = await countSandboxes(services).catch(() => 0);
		await close();
		return running;
	} finally {
		hold?.release();
	}
}

/** Two servers would wait for each other's writes, each with everything that it serves: SQLite is for one of them. */
async function holdFolder(folder: string) {
	const {holdFile} = await import('../database/sqlite.ts');
	const hold = holdFile(privateFile(join(folder, 'serving.lock')));
	if (!hold) {
		throw new AppError('conflict', `Another server runs on the data in ${folder}.`, {
			hint: 'End that one, or give another --data. Several servers share one PostgreSQL with --database.',
		});
	}

	return hold;
}
