import {randomUUID} from 'node:crypto';
import pg from 'pg';
import {inject, onTestFinished} from 'vitest';
import type {DatabaseLocation, Engine} from '../../../src/server/database/location.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {postgresUrl, template} from '../../postgres.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** What the tests of this project run on. */
		engine: Engine;
	}
}

/** For the few tests whose figures differ; all others know nothing of what they run on. */
export const engine = inject('engine');

/** Databases of earlier tests of this file, emptied: to make one takes a hundred times as long as to empty it. */
const free: string[] = [];

/** Empties every table but that of the migrations; nobody else is connected then. */
const emptyAll = `do $$
declare name text;
begin
	set local lock_timeout = '2s';
	set local session_replication_role = 'replica';
	for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
		execute format('delete from %I', name);
	end loop;
end $$`;

/** An empty place for one test. */
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

/** A database with the schema and nothing in it, closed and gone after the test. */
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
