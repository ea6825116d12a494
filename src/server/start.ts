import {createApp} from './app.ts';
import {loadServerCatalog} from './catalog.ts';
import {openDatabase} from './database/open.ts';
import type {DatabasePlace} from './database/place.ts';
import type {DemoOptions} from './demo-model/demo-routes.ts';
import {listen} from './listen.ts';
import type {Log} from './log.ts';
import type {Services} from './services.ts';

export type RunningServer = {
	/** Without a slash at the end. */
	readonly url: string;
	readonly services: Services;
	/** Takes no more requests, lets those that go on end, and closes the database. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly place: DatabasePlace;
	/** Where it listens: 127.0.0.1 and a free port by default. */
	readonly host?: string;
	readonly port?: number;
	/** Further names of this server, as a browser or a proxy in front of it says them. */
	readonly names?: readonly string[];
	/** The variables that say which vendors' models are ready. */
	readonly environment: NodeJS.ProcessEnv;
	readonly demo?: DemoOptions;
	readonly log?: Log;
};

/** Opens the database and serves everything. Throws `AppError` where it cannot listen, and what the database throws. */
export async function startServer(options: Options): Promise<RunningServer> {
	const {place, host, port, names = [], environment, demo, log = () => {}} = options;
	const catalog = await loadServerCatalog(environment);
	const database = await openDatabase(place, error =>
		log({level: 'warn', message: 'database connection lost', error: error.message}),
	);
	let url = '';
	const services: Services = {database, now: () => new Date(), publicUrl: () => url, catalog, log};
	try {
		const app = createApp({services, names: host ? [host, ...names] : names, demo, log});
		const listening = await listen(app, {host, port});
		url = listening.url;
		return {
			url,
			services,
			async close() {
				await listening.close();
				await database.destroy();
			},
		};
	} catch (error) {
		await database.destroy();
		throw error;
	}
}
