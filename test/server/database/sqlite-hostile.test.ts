import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {isDatabaseFault} from '../../../src/server/database/fault.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer} from '../harness.ts';
import {toRequest, tracesPath} from '../ingest/push.ts';
import {lost} from './ask-all.ts';

test('a full disk refuses what has no room, whole, and takes it when there is room again', async () => {
	const server = await createTestServer();
	const spans = Array.from({length: 300}, (_, index) => ({
		id: `${index + 1}`,
		attributes: {'gen_ai.conversation.id': 'long', 'gen_ai.input.messages': 'x'.repeat(1000)},
	}));
	const push = async () => (await server.send(tracesPath, {method: 'POST', body: toRequest(spans)})).json;
	const {rows} = await sql<{page_count: number}>`pragma page_count`.execute(server.database);
	await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 20)}`.execute(server.database);
	const before = await contentsOf(server.database);
	expect([await push(), await contentsOf(server.database)]).toEqual([lost, before]);
	// A statement that returns what it wrote tells of it in another way.
	const large = {key: 'x'.repeat(1_000_000), count: 1, resets_at: ''};
	const insert = server.database.insertInto('attempts').values(large).returning('key').execute();
	expect(isDatabaseFault(await insert.catch((error: unknown) => error))).toBe(true);
	await sql`pragma max_page_count = 100000`.execute(server.database);
	expect(await push()).toEqual({});
	expect((await contentsOf(server.database))['spans']).toHaveLength(300);
});

test('a file that is no database is left as it is', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const file = join(folder, 'letter.txt');
	await writeFile(file, 'Dear Ada, this is no database at all, however one reads it.'.repeat(100));
	await expect(openDatabase({engine: 'sqlite', file})).rejects.toMatchObject({
		code: 'failed',
		message: `The database ${file} cannot be used: file is not a database.`,
	});
});
