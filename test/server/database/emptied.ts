import {randomUUID} from 'node:crypto';
import type {PostgresPool} from 'kysely';
import pg from 'pg';
import {inject, onTestFinished} from 'vitest';
import {openPostgres} from '../../../src/server/database/postgres.ts';
import {postgresUrl, template} from '../../postgres.ts';

/** A database on PostgreSQL with the schema, a connection that empties it after each test, and those that tests share. */
export type Emptied = {readonly url: string; readonly name: string; readonly client: pg.Client; shared?: PostgresPool};

/** How PostgreSQL knows the connections that empty databases; tests leave them open. */
export const emptier = 'emptier';

/** Emptied databases of earlier tests in this process: creating one takes a hundred times as long as emptying it. */
const free: Emptied[] = [];

/** The databases in use whose connections no other test may share. */
const changed = new Set<string>();

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

/** Returns an empty database for one test. */
export async function emptied(): Promise<Emptied> {
	const database = free.pop() ?? (await make(inject('postgres')));
	onTestFinished(async () => {
		if (changed.delete(database.name)) {
			await endShared(database);
		}

		await database.client.query(emptyAll);
		free.push(database);
	});
	return database;
}

/** Ends the connections to this database that tests share, after the test that uses it: it changed how they behave. */
export function dontShare(name: string): void {
	changed.add(name);
}

/** Ends the connections to a database that tests share. */
export async function endShared(database: Emptied): Promise<void> {
	await database.shared?.end();
	delete database.shared;
}

/** Returns connections for one test, and opens them for all tests: a new one costs PostgreSQL more than most tests do. */
export function sharedPool(database: Emptied): PostgresPool {
	database.shared ??= openPostgres({engine: 'postgres', url: database.url}, () => undefined);
	const shared = database.shared;
	let isEnded = false;
	let used = 0;
	let onIdle: (() => void) | undefined;
	const giveBack = () => {
		used--;
		if (used === 0) {
			onIdle?.();
		}
	};
	return {
		async connect() {
			if (isEnded) {
				throw new Error('The connections are closed.');
			}

			used++;
			try {
				const client = await shared.connect();
				const release = () => {
					client.release();
					giveBack();
				};
				return {query: client.query.bind(client), release};
			} catch (error) {
				giveBack();
				throw error;
			}
		},
		async end() {
			isEnded = true;
			if (used > 0) {
				await new Promise<void>(resolve => {
					onIdle = resolve;
				});
			}
		},
	};
}

async function make(folder: string): Promise<Emptied> {
	const name = `test_${randomUUID().replaceAll('-', '')}`;
	const main = await connect(postgresUrl(folder, 'postgres'));
	try {
		await main.query(`create database ${name} template ${template}`);
	} finally {
		await main.end();
	}

	const url = postgresUrl(folder, name);
	const client = await connect(url, emptier);
	// PostgreSQL may end before this process does.
	client.on('error', () => undefined);
	return {url, name, client};
}

async function connect(connectionString: string, application_name?: string): Promise<pg.Client> {
	const client = new pg.Client({connectionString, application_name});
	await client.connect();
	return client;
}
