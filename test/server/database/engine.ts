import {randomUUID} from 'node:crypto';
import pg from 'pg';
import {inject, onTestFinished} from 'vitest';
import type {DatabaseLocation, Engine} from '../../../src/server/database/location.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {postgresUrl, template} from '../../postgres.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** The engine of this project's tests. */
		engine: Engine;
	}
}

/** For the few tests whose values differ between engines. */
export const engine = inject('engine');

/** Emptied databases of earlier tests in this file: creating one takes a hundred times as long as emptying it. */
const free: string[] = [];

/** Empties every table except the migrations. There are no other connections. */
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
	const name = free.pop() ?? (await make(folder));

	onTestFinished(async () => {
		await ask(folder, name, emptyAll);
		free.push(name);
	});
	return {engine, url: postgresUrl(folder, name)};
}

async function make(folder: string): Promise<string> {
	const name = `test_${randomUUID().replaceAll('-', '')}`;
	await ask(folder, 'postgres', `create database ${name} template ${template}`);
	return name;
}

/** Creates a database with an empty schema, which is closed and removed after the test. */
export async function emptyDatabase(): Promise<Database> {
	const database = await openDatabase(await emptyPlace());
	onTestFinished(() => database.destroy());
	return database;
}

async function ask(folder: string, database: string, statement: string): Promise<void> {
	const client = new pg.Client({connectionString: postgresUrl(folder, database)});
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}
