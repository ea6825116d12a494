import {sql} from 'kysely';
import pg from 'pg';
import {inject} from 'vitest';
import type {Database} from '../../../src/server/database/tables.ts';
import {postgresUrl} from '../../postgres.ts';
import {dontShare, emptier} from './emptied.ts';

/** Runs a query on the test PostgreSQL as superuser. */
export async function administer(statement: string): Promise<void> {
	const client = new pg.Client({connectionString: postgresUrl(inject('postgres'), 'postgres')});
	await client.connect();
	await client.query(statement).finally(() => client.end());
}

/** Changes a server's PostgreSQL database from outside, ends all connections to it, and returns its name. */
export async function disconnect(database: Database, change: (name: string) => string): Promise<string> {
	const {rows} = await sql<{name: string}>`select current_database() as name`.execute(database);
	const name = rows[0]?.name ?? '';
	dontShare(name);
	await administer(change(name));
	await administer(
		`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name <> '${emptier}'`,
	);
	return name;
}

/** Waits until a server has replaced its lost connections. */
export async function reconnect(database: Database): Promise<void> {
	for (let left = 100; left > 0; left--) {
		const asked = Array.from({length: 10}, () => sql`select 1`.execute(database));
		const answers = await Promise.allSettled(asked);
		if (answers.every(({status}) => status === 'fulfilled')) {
			return;
		}

		await new Promise(resolve => setTimeout(resolve, 20));
	}
}
