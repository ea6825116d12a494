import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import type {DatabaseLocation} from '../../src/server/database/location.ts';
import {atEnd} from '../net/servers.ts';
import {createPostgres, type Postgres, postgresUrl} from '../postgres.ts';
import {createNetwork} from '../server/database/frozen-network.ts';
import {createRandom, createTally, type Fault, type Random} from './fault.ts';
import {
	addWriter,
	billedWrongly,
	bubblewrap,
	createFollower,
	createServing,
	type Followed,
	initializeServing,
	newDataFolder,
	type Serving,
	until,
	wrongLines,
} from './serving.ts';

/** What is injected into a world of servers. */
type Injection = {readonly name: string; readonly inject: (random: Random) => Promise<void>};

/** Servers on one database, with what may happen to them. */
type World = {
	readonly location: DatabaseLocation;
	readonly key: string;
	readonly servers: readonly Serving[];
	readonly injections: readonly Injection[];
};

/** Kills a server, and starts it again a moment later. */
const killing = (server: Serving, name: string): Injection => ({
	name,
	async inject(random) {
		await server.kill();
		await sleep(random.below(50));
		await server.start();
	},
});

function newData(): string {
	const data = newDataFolder();
	mkdirSync(data);
	return data;
}

async function onSqlite(): Promise<World> {
	const data = newData();
	const location = {engine: 'sqlite', file: join(data, 'service.db')} as const;
	const key = await initializeServing(data, location);
	const server = createServing(data);
	await server.start();
	await addWriter(data);
	return {location, key, servers: [server], injections: [killing(server, 'kill -9')]};
}

/** Starts a PostgreSQL, or a standby of one. */
async function startPostgres(primary?: Postgres): Promise<Postgres> {
	// A standby looks for a primary that was away at once, not in five seconds.
	const postgres = await createPostgres({settings: ['wal_retrieve_retry_interval=50ms'], ...(primary && {primary})});
	if (!postgres) {
		throw new Error('PostgreSQL is not installed.');
	}

	atEnd(() => void postgres.end('SIGQUIT').then(postgres.remove));
	await postgres.start();
	return postgres;
}

async function tell({folder}: Postgres, ...statements: readonly string[]): Promise<void> {
	const client = new pg.Client({connectionString: postgresUrl(folder, 'postgres')});
	await client.connect();
	for (const statement of statements) {
		await client.query(statement);
	}

	await client.end();
}

/** Starts a standby that has each change before the primary says that it was made. */
async function startStandby(primary: Postgres): Promise<Postgres> {
	const standby = await startPostgres(primary);
	await tell(primary, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()');
	return standby;
}

const socketOf = ({folder}: Postgres) => join(folder, '.s.PGSQL.5432');

/** A PostgreSQL with a standby, and networks that lead to whichever of them accepts writes. */
async function startPair() {
	let primary = await startPostgres();
	let standby = await startStandby(primary);
	const networks: Awaited<ReturnType<typeof createNetwork>>[] = [];
	return {
		async createNetwork() {
			const network = await createNetwork(socketOf(primary));
			networks.push(network);
			return {...network, url: `postgres://service@127.0.0.1:${network.port}/postgres`};
		},
		/** Ends all connections of the servers, as an operator or a pooler does. */
		endConnections: () =>
			tell(
				primary,
				"select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
			),
		async crash(random: Random) {
			await primary.end('SIGQUIT');
			await sleep(random.below(50));
			await primary.start();
		},
		/** The primary dies, the standby takes its place, and gets a standby of its own. */
		async failOver(random: Random) {
			await primary.end('SIGQUIT');
			await sleep(random.below(500));
			await tell(standby, 'select pg_promote(true)');
			primary = standby;
			for (const network of networks) {
				network.leadTo(socketOf(primary));
			}

			standby = await startStandby(primary);
		},
	};
}

/** Two machines, each of which reaches one PostgreSQL through a network of its own. */
async function onPostgres(): Promise<World> {
	const pair = await startPair();
	const location = {engine: 'postgres', url: (await pair.createNetwork()).url} as const;
	const folders = [newData(), newData()];
	const key = await initializeServing(folders[0] ?? '', location);
	const networks = await Promise.all(folders.map(pair.createNetwork));
	const servers = folders.map((data, index) => createServing(data, networks[index]?.url));
	await Promise.all(servers.map(server => server.start()));
	await Promise.all(folders.map(addWriter));
	return {
		...{location, key, servers},
		injections: [
			...servers.map((server, index) => killing(server, `kill -9 of server ${index}`)),
			{name: 'all connections to PostgreSQL ended', inject: pair.endConnections},
			{name: 'a crash of PostgreSQL', inject: pair.crash},
			{name: 'a failover of PostgreSQL', inject: pair.failOver},
			...networks.map(
				(network, index): Injection => ({
					name: `a partition between server ${index} and the rest`,
					async inject(random) {
						network.freeze();
						for (let left = 10 + random.below(60); left > 0; left -= 1) {
							await sleep(50);
						}

						network.thaw();
					},
				}),
			),
		],
	};
}

/** How many faults a world gets before what came of it is checked. */
const perWorld = 7;

function underLoad(name: string, open: () => Promise<World>, options: Pick<Fault, 'amounts' | 'lacks'>): Fault {
	return {
		...{name, rules: [17, 18, 21], ...options},
		async run({seed, amount}) {
			const random = createRandom(seed);
			const tally = createTally();
			for (let injected = 0; injected < amount; injected += perWorld) {
				const world = await open();
				const {servers, key, location, injections} = world;
				const follower = createFollower(key, () => servers.map(({url}) => url()));
				const followed: Followed[] = [];
				const problems: string[] = [];
				let isOver = false;
				// The load: environments are created and followed all the time.
				const load = (async () => {
					while (!isOver) {
						if (followed.length < 4) {
							const created = await follower.create();
							followed.push(...(created ? [created] : []));
						}

						for (const each of followed) {
							await follower.poll(each).catch((error: Error) => problems.push(`${each.id}: ${error.message}`));
						}

						await sleep(20);
					}
				})();
				await until('a first line', async () => followed.some(({text}) => text.includes('\n5 ')));
				const names: string[] = [];
				for (let turn = 0; turn < Math.min(perWorld, amount - injected); turn += 1) {
					const {name: what, inject} = injections[(injected + turn) % injections.length] ?? random.pick(injections);
					names.push(what);
					await inject(random);
					// It works again: each log goes on.
					const before = followed.map(({after}) => after);
					await until(
						`lines after ${what}`,
						async () => problems.length > 0 || followed.every(({after}, index) => after > (before[index] ?? 0)),
					);
				}

				isOver = true;
				await load;
				for (const each of followed) {
					await until('an end', async () => {
						await (each.ended === null && follower.stop(each));
						await follower.poll(each);
						return each.ended !== null;
					}).catch((error: Error) => problems.push(error.message));
				}

				problems.push(...followed.flatMap(wrongLines));
				await Promise.all(servers.map(server => server.kill()));
				problems.push(...(await billedWrongly(location)));
				tally.add(names.length, problems.length > 0 ? [`${names.join(', ')}: ${problems.join('; ')}`] : []);
			}

			return tally.figure();
		},
	};
}

export const servers: readonly Fault[] = [
	underLoad(
		'kill -9 of a server (SQLite) whose sandboxes run: each goes on, started once and billed once, and no line of a log is lost or doubled',
		onSqlite,
		{amounts: {test: 1, full: 60}, lacks: bubblewrap},
	),
	underLoad(
		'two servers on PostgreSQL: kills, ended connections, a crash and a failover of the database, and partitions: the same',
		onPostgres,
		{amounts: {test: 1, full: 72}, lacks: bubblewrap},
	),
];
