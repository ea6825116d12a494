import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {DatabaseLocation} from '../../../src/server/database/location.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {dontShare, emptied, endShared} from './emptied.ts';
import {engine} from './engine.ts';

/** Returns a place without a schema for one test, which several connections can open: a file, or a schema of PostgreSQL. */
export async function emptyFile(): Promise<DatabaseLocation> {
	if (engine === 'sqlite') {
		const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
		onTestFinished(() => rm(folder, {recursive: true, force: true}));
		return {engine, file: join(folder, 'service.db')};
	}

	const database = await emptied();
	await endShared(database);
	dontShare(database.name);
	const dropAll = () => database.client.query('drop schema public cascade; create schema public');
	await dropAll();
	const place = {engine, url: database.url} as const;
	// Other tests use the database afterwards.
	onTestFinished(async () => {
		await dropAll();
		await (await openDatabase(place)).destroy();
	});
	return place;
}
