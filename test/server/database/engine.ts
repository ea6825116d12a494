import {randomUUID} from 'node:crypto';
import pg from 'pg';
import {inject, onTestFinished} from 'vitest';
import type {DatabaseLocation, Engine} from '../../../src/server/database/location.ts';
import {databaseOn, openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {postgresUrl, template} from '../../postgres.ts';
import {emptyMemory} from './memory.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** The engine of this project's tests. */
		engine: Engine;
	}
}

/** For the few tests whose values differ between engines. */
export const engine = inject('engine');

/** A database on PostgreSQL and a connection that empties it after each test. */
type Emptied = {readonly name: string; readonly client: pg.Client};

/** How PostgreSQL knows the connections that empty databases; tests leave them open. */
export const emptier = 'emptier';

/** Emptied databases of earlier tests in this process: creating one takes a hundred times as long as emptying it. */
const free: Emptied[] = [];

/** Empties every table except the migrations. No other connection is in use. */
const emptyAll = `do $$
declare name text;
begin
	set local lock_timeout = '2s';
	set local session_replication_role = 'replica';
	for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
		execute format('delete from %I', name);
	end loop;
end $$`;

/** Returns an empty location for one test. */
export async function emptyPlace(): Promise<DatabaseLocation> {
	if (engine === 'sqlite') {
		return {engine, file: ':memory:'};
	}

	const folder = inject('postgres');
	const emptied = free.pop() ?? (await make(folder));

	onTestFinished(async () => {
		await emptied.client.query(emptyAll);
		free.push(emptied);
	});
	return {engine, url: postgresUrl(folder, emptied.name)};
}

async function make(folder: string): Promise<Emptied> {
	const name = `test_${randomUUID().replaceAll('-', '')}`;
	const main = await connect(folder, 'postgres');
	try {
		await main.query(`create database ${name} template ${template}`);
	} finally {
		await main.end();
	}

	const client = await connect(folder, name, emptier);
	// PostgreSQL may end before this process does.
	client.on('error', () => undefined);
	return {name, client};
}

/** Creates a database with an empty schema, which is closed after the test. */
export async function emptyDatabase(): Promise<Database> {
	const place = await emptyPlace();
	const database =
		place.engine === 'sqlite'
			? await databaseOn({engine: 'sqlite', database: await emptyMemory()})
			: await openDatabase(place);
	onTestFinished(() => database.destroy());
	return database;
}

async function connect(folder: string, database: string, application_name?: string): Promise<pg.Client> {
	const client = new pg.Client({connectionString: postgresUrl(folder, database), application_name});
	await client.connect();
	return client;
}
