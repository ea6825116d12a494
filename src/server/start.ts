import {hostname, networkInterfaces} from 'node:os';
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
	/** Of this server alone, for files. */
	readonly folder: string;
	/** Where it listens: 127.0.0.1 and a free port by default. */
	readonly host?: string;
	readonly port?: number;
	/** Where browsers and clients reach it, if that is not where it listens: an origin, of a proxy in front of it say. */
	readonly publicUrl?: string;
	/** The variables that say which vendors' models are ready. */
	readonly environment: NodeJS.ProcessEnv;
	readonly demo?: DemoOptions;
	readonly log?: Log;
};

/** Opens the database and serves everything. Throws `AppError` where it cannot listen, and what the database throws. */
export async function startServer(options: Options): Promise<RunningServer> {
	const {place, host, port, publicUrl, environment, demo, log = () => {}} = options;
	const catalog = await loadServerCatalog(environment);
	const database = await openDatabase(place, error =>
		log({level: 'warn', message: 'database connection lost', error: error.message}),
	);
	let url = publicUrl ?? '';
	const services: Services = {database, now: () => new Date(), publicUrl: () => url, catalog, log};
	try {
		const app = createApp({services, names: namesOf(host, publicUrl), demo});
		const listening = await listen(app, {host, port});
		url = publicUrl ?? listening.url;
		return {
			url: listening.url,
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

/** The names that a caller may know this server by. One that listens on every address has every address of the machine. */
function namesOf(host: string | undefined, publicUrl: string | undefined): readonly string[] {
	const addresses = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({address}) => address));
	const isEverywhere = host === '0.0.0.0' || host === '::';
	const listening = isEverywhere ? [hostname(), ...addresses] : host === undefined ? [] : [host];
	return [
		...listening.map(name => (name.includes(':') ? `[${name}]` : name).toLowerCase()),
		...(publicUrl ? [new URL(publicUrl).hostname] : []),
	];
}
