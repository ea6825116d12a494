import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/server/database/open.ts';
import {emptyPlace} from './engine.ts';

test('statements that wait for a connection for longer than a new one may take are executed, because the pool moves', async () => {
	const place = await emptyPlace();
	if (place.engine !== 'postgres') {
		throw new Error('Needs PostgreSQL.');
	}

	// A new connection may take as long as an answer here: each waits for up to thirty others.
	const database = await openDatabase({...place, connections: 2, answerTimeoutMs: 1500});
	onTestFinished(() => database.destroy());
	const statements = Array.from({length: 60}, async (_, index) => {
		const {rows} = await sql<{index: number}>`select cast(${index} as int) as index, pg_sleep(0.1)`.execute(database);
		return rows[0]?.index;
	});
	expect(await Promise.all(statements)).toEqual([...statements.keys()]);
});
