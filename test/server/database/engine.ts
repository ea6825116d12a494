import {inject, onTestFinished} from 'vitest';
import type {DatabaseLocation, Engine} from '../../../src/server/database/location.ts';
import {type Connections, databaseOn} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {emptied, endShared, sharedPool} from './emptied.ts';
import {emptyMemory} from './memory.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** The engine of this project's tests. */
		engine: Engine;
	}
}

/** For the few tests whose values differ between engines. */
export const engine = inject('engine');

/** Returns an empty location for one test. */
export async function emptyPlace(): Promise<DatabaseLocation> {
	if (engine === 'sqlite') {
		return {engine, file: ':memory:'};
	}

	const database = await emptied();
	await endShared(database);
	return {engine, url: database.url};
}

/** Returns an empty database with the schema, which is closed after the test. Its connections served other tests. */
export async function emptyDatabase(): Promise<Database> {
	const connections: Connections =
		engine === 'sqlite' ? {engine, database: await emptyMemory()} : {engine, pool: sharedPool(await emptied())};
	const database = await databaseOn(connections);
	onTestFinished(() => database.destroy());
	return database;
}
