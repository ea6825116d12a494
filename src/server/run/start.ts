import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {createSeal, makeSealKey} from '../accounts/seal.ts';
import {applySeal, loadSealKey} from '../accounts/seal-key.ts';
import type {ArtifactPlace} from '../artifacts/artifact-place.ts';
import {openArtifacts} from '../artifacts/artifact-store.ts';
import {openDatabase} from '../database/open.ts';
import type {DatabasePlace} from '../database/place.ts';
import type {DemoOptions} from '../demo-model/demo-routes.ts';
import {loadServerCatalog} from '../handlers/server-catalog.ts';
import type {Services} from '../handlers/services.ts';
import {createApp} from '../http/app.ts';
import {listen} from '../http/listen.ts';
import type {Log} from '../kit/log.ts';
import type {App} from '../kit/route.ts';
import {usualStorageLimit} from '../quota/stored-bytes.ts';
import {endSandboxes, keepSandboxes} from '../sandboxes/keeper.ts';
import {createSandboxing} from '../sandboxes/sandboxing.ts';
import {startCleanup} from './cleanup.ts';

export type RunningServer = {
	/** Without a slash at the end. */
	readonly url: string;
	readonly services: Services;
	readonly app: App;
	/** Stops accepting requests, waits for those in progress, and closes the database. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly place: DatabasePlace;
	/** Of this server alone, for files. */
	readonly folder: string;
	/** More folders that no sandbox may read. */
	readonly hidden?: readonly string[];
	/** Where the bytes of artifacts are kept, `artifacts` in the folder by default. */
	readonly artifacts?: ArtifactPlace;
	/** Most bytes of spans and artifacts that an organization may store, 10 GB by default. */
	readonly storageLimit?: number;
	/** Where it listens: 127.0.0.1 and a free port by default. */
	readonly host?: string;
	readonly port?: number;
	/** Where browsers and clients reach it, if that is not where it listens: an origin, of a proxy in front of it say. */
	readonly publicUrl?: string;
	/** Whether tasks may run with all rights of this server where nothing keeps them apart. */
	readonly unsafeSandboxes?: boolean;
	/** The oldest version of this program that it answers; 426 for older ones. */
	readonly minimumClient?: string | undefined;
	/** The variables that say which vendors' models are ready, and `SERVICE_SEAL_KEY`. */
	readonly environment: NodeJS.ProcessEnv;
	readonly demo?: DemoOptions;
	readonly log?: Log;
};

/** Opens the database and serves everything. Throws `AppError` where it cannot listen, and what the database throws. */
export async function startServer(options: Options): Promise<RunningServer> {
	const {place, folder, hidden, host, port, publicUrl, environment, demo, log = () => {}} = options;
	const {storageLimit = usualStorageLimit} = options;
	const catalog = await loadServerCatalog(environment);
	const isEphemeral = place.engine === 'sqlite' && place.file === ':memory:';
	const seal = createSeal(isEphemeral ? makeSealKey() : await loadSealKey(folder, environment));
	const database = await openDatabase(place, error =>
		log({level: 'warn', message: 'database connection lost', error: error.message}),
	);
	let url = publicUrl ?? '';
	const sandboxes = createSandboxing({folder, hidden, log, isEphemeral, allowUncontained: options.unsafeSandboxes});
	const shared = {database, now: () => new Date(), publicUrl: () => url, log, seal};
	const artifacts = openArtifacts(options.artifacts ?? {kind: 'disk', folder: join(folder, 'artifacts')}, shared);
	const services: Services = {...shared, catalog, artifacts, sandboxes, storageLimit};
	try {
		await applySeal(database, seal);
		const app = createApp({services, names: namesOf(host, publicUrl), demo, minimumClient: options.minimumClient});
		const listening = await listen(app, {host, port});
		url = publicUrl ?? listening.url;
		const keeper = keepSandboxes(services);
		const cleanup = startCleanup(services);
		return {
			url: listening.url,
			services,
			app,
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
