import {join} from 'node:path';
import {sql} from 'kysely';
import pg from 'pg';
import {expect, onTestFinished, test} from 'vitest';
import {isUncertain} from '../../../src/server/database/fault.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {createPostgres, type Postgres, postgresUrl} from '../../postgres.ts';
import {createNetwork} from './frozen-network.ts';

/** Starts a primary and a standby of it. */
async function startPair() {
	const primary = await start(await createPostgres());
	const standby = await start(await createPostgres({primary}));
	return {primary, standby};
}

async function start(postgres: Postgres | undefined): Promise<Postgres> {
	const created = postgres ?? expect.fail('PostgreSQL is not installed.');
	onTestFinished(async () => {
		await created.end('SIGQUIT');
		created.remove();
	});
	await created.start();
	return created;
}

const socketOf = ({folder}: Postgres) => join(folder, '.s.PGSQL.5432');

/** Asks a PostgreSQL directly, and returns the rows of the last statement. */
async function tell({folder}: Postgres, ...statements: readonly string[]) {
	const client = new pg.Client({connectionString: postgresUrl(folder, 'postgres')});
	await client.connect();
	try {
		let rows: readonly Record<string, unknown>[] = [];
		for (const statement of statements) {
			({rows} = await client.query(statement));
		}

		return rows;
	} finally {
		// Also if the standby doesn't know a table yet.
		await client.end();
	}
}

const promote = (standby: Postgres) => tell(standby, 'select pg_promote(true)');

/** Lets a primary accept no writes, with its connections open, as a demoted one does. */
const demote = (primary: Postgres) =>
	tell(primary, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()');

async function open(url: string): Promise<Database> {
	const database = await openDatabase({engine: 'postgres', url});
	onTestFinished(() => database.destroy());
	await sql`create table if not exists notes (name text primary key)`.execute(database);
	return database;
}

const write = (database: Database, name: string) => sql`insert into notes values (${name})`.execute(database);
const writeInTransaction = (database: Database, name: string) =>
	database.transaction().execute(transaction => write(transaction as unknown as Database, name));
const names = async (database: Database) =>
	(await sql<{name: string}>`select name from notes order by name`.execute(database)).rows.map(({name}) => name);

/** Opens as many connections as there are, so that all of them lead to the old primary. */
const fill = (database: Database) =>
	Promise.all(Array.from({length: 10}, () => sql`select pg_sleep(0.02)`.execute(database)));

test('after a failover behind one name the first write goes to the new primary, though ten connections to the old one are open', async () => {
	const {primary, standby} = await startPair();
	const network = await createNetwork(socketOf(primary));
	const database = await open(`postgres://service@127.0.0.1:${network.port}/postgres`);
	await write(database, 'before');
	await expect.poll(() => standbyNames(standby)).toEqual(['before']);
	await fill(database);
	await demote(primary);
	await promote(standby);
	network.leadTo(socketOf(standby));
	// A setting that was reloaded reaches each connection with its next statement.
	await expect.poll(() => isReadOnly(primary)).toBe(true);
	await write(database, 'single');
	await fill(database);
	await Promise.all(['a', 'b', 'c'].map(name => writeInTransaction(database, name)));
	expect(await names(database)).toEqual(['a', 'b', 'before', 'c', 'single']);
	expect(await standbyNames(primary)).toEqual(['before']);
});

const isReadOnly = async (postgres: Postgres) =>
	(await tell(postgres, 'show transaction_read_only'))[0]?.['transaction_read_only'] === 'on';

const standbyNames = async (postgres: Postgres) =>
	(await tell(postgres, 'select name from notes order by name')).map(({name}) => name);

test('a transaction begins at the new primary, however its connections were told', async () => {
	const {primary, standby} = await startPair();
	const network = await createNetwork(socketOf(primary));
	const database = await open(`postgres://service@127.0.0.1:${network.port}/postgres`);
	await fill(database);
	await demote(primary);
	await promote(standby);
	network.leadTo(socketOf(standby));
	await expect.poll(() => isReadOnly(primary)).toBe(true);
	await Promise.all(Array.from({length: 20}, (_, index) => writeInTransaction(database, `${index}`.padStart(2, '0'))));
	expect(await names(database)).toHaveLength(20);
});

test('of several hosts the one that accepts writes is found, before and after the old primary dies', async () => {
	const {primary, standby} = await startPair();
	const url = `postgres:///postgres?host=${[standby, primary].map(({folder}) => encodeURIComponent(folder)).join()}&user=service`;
	const database = await open(`${url}&target_session_attrs=read-write`);
	await write(database, 'before');
	await fill(database);
	await expect.poll(() => standbyNames(standby)).toEqual(['before']);
	await primary.end('SIGINT');
	// Between the two there is nobody who accepts writes, which is said.
	await expect(write(database, 'between')).rejects.toMatchObject({code: '25006'});
	await promote(standby);
	await writeInTransaction(database, 'after');
	expect(await names(database)).toEqual(['after', 'before']);
});

test('with a standby alone, reads are served until the database accepts writes again', async () => {
	const {primary, standby} = await startPair();
	const network = await createNetwork(socketOf(primary));
	const database = await open(`postgres://service@127.0.0.1:${network.port}/postgres`);
	await write(database, 'before');
	await expect.poll(() => standbyNames(standby)).toEqual(['before']);
	network.leadTo(socketOf(standby));
	await primary.end('SIGINT');
	await expect.poll(() => names(database)).toEqual(['before']);
	await expect(write(database, 'no')).rejects.toMatchObject({code: '25006'});
	await expect(writeInTransaction(database, 'no')).rejects.toMatchObject({code: '25006'});
	await promote(standby);
	await write(database, 'yes');
	expect(await names(database)).toEqual(['before', 'yes']);
});

test('a read whose connection is ended is asked again, and a change whose answer is lost says so', async () => {
	const primary = await start(await createPostgres());
	const network = await createNetwork(socketOf(primary));
	const database = await open(`postgres://service@127.0.0.1:${network.port}/postgres`);
	const kill = () =>
		tell(
			primary,
			"select pg_terminate_backend(pid) from pg_stat_activity where query like '%sleep%' and pid <> pg_backend_pid()",
		);
	const busy = async () => {
		const rows = await tell(
			primary,
			"select 1 from pg_stat_activity where query like '%sleep%' and state = 'active' and pid <> pg_backend_pid()",
		);
		return rows.length;
	};
	let reads = 0;
	const read = sql`select pg_sleep(${sql.lit(0.5)})`.execute(database).then(() => {
		reads++;
	});
	await expect.poll(busy).toBe(1);
	await kill();
	await read;
	expect(reads).toBe(1);
	const failing = sql`insert into notes select 'a' from pg_sleep(5)`.execute(database).catch((error: unknown) => error);
	await expect.poll(busy).toBe(1);
	network.freeze();
	network.thaw();
	expect(isUncertain(await failing)).toBe(true);
	const told = sql`insert into notes select 'b' from pg_sleep(5)`.execute(database).catch((error: unknown) => error);
	await expect.poll(busy).toBeGreaterThanOrEqual(1);
	await kill();
	// PostgreSQL said that it ended the statement.
	expect(isUncertain(await told)).toBe(false);
});
