import {randomUUID} from 'node:crypto';
import pg from 'pg';
import {inject, onTestFinished} from 'vitest';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {DatabasePlace, Engine} from '../../../src/server/database/place.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {postgresUrl, template} from '../../postgres.ts';

/** What `describe.each` runs the same tests on: PostgreSQL too where the machine has it. */
export const engines: readonly Engine[] = inject('postgres') ? ['sqlite', 'postgres'] : ['sqlite'];

/** An empty place for one test, gone after it. */
export async function emptyPlace(engine: Engine): Promise<DatabasePlace> {
	if (engine === 'sqlite') {
		return {engine, file: ':memory:'};
	}

	const folder = inject('postgres');
	const name = `test_${randomUUID().replaceAll('-', '')}`;
	await administer(folder, `create database ${name} template ${template}`);
	onTestFinished(() => administer(folder, `drop database ${name} with (force)`));
	return {engine, url: postgresUrl(folder, name)};
}

/** A database with the schema and nothing in it, closed and gone after the test. */
export async function emptyDatabase(engine: Engine): Promise<Database> {
	const database = await openDatabase(await emptyPlace(engine));
	onTestFinished(() => database.destroy());
	return database;
}

async function administer(folder: string, statement: string): Promise<void> {
	const client = new pg.Client({connectionString: postgresUrl(folder, 'postgres')});
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}
