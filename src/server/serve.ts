import type {Environment} from '../core/environment.ts';
import {type Beginning, type Initialized, initialize} from './accounts/initialize.ts';
import {openDataFolder} from './data-folder.ts';
import {openDatabase} from './database/open.ts';
import {installDemo} from './demo/install-demo.ts';
import {jsonLog, type LogLevel} from './log.ts';
import {startServer} from './start.ts';

type Place = {readonly env: Environment; readonly data?: string; readonly database?: string};

type ServeOptions = Place & {
	readonly host: string | undefined;
	readonly port: number;
	/** Where browsers and clients reach it, if that is not where it listens: an origin. */
	readonly publicUrl: string | undefined;
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
	/** Resolves when the signal has ended it and everything is closed. */
	readonly ended: Promise<void>;
};

/** `serve init`: opens the data and makes what `initialize` makes. Throws what that throws. */
export async function initializeData({env, data, database}: Place, beginning: Beginning): Promise<Initialized> {
	const {place} = openDataFolder(env, {data, database});
	const opened = await openDatabase(place);
	try {
		return await initialize({database: opened, now: () => new Date()}, beginning);
	} finally {
		await opened.destroy();
	}
}

/** `serve`: opens the data and listens until `signal` aborts. Throws `AppError` for a place or a port that cannot be used. */
export async function serve(options: ServeOptions): Promise<Served> {
	const {env, data, database, host, port, publicUrl, demo, logLevel, writeLog, signal} = options;
	const {folder, place} = openDataFolder(env, {data, database});
	const server = await startServer({
		place,
		folder,
		host,
		port,
		publicUrl,
		environment: env,
		log: jsonLog(writeLog, {least: logLevel}),
	});
	const made = demo ? await installDemo(server.app, server.services) : undefined;
	const first = await server.services.database.selectFrom('users').select('id').limit(1).executeTakeFirst();
	const ended = new Promise<void>((resolve, reject) => {
		const end = () => void server.close().then(resolve, reject);
		if (signal.aborted) {
			end();
		} else {
			signal.addEventListener('abort', end, {once: true});
		}
	});
	return {url: server.url, folder, engine: place.engine, demo: made, isEmpty: first === undefined, ended};
}
