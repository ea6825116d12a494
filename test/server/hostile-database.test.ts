import {sql} from 'kysely';
import pg from 'pg';
import {describe, expect, inject, onTestFinished, test} from 'vitest';
import {type EndpointId, endpoints} from '../../src/contract/endpoints.ts';
import {startEnrollment} from '../../src/server/accounts/second-factor.ts';
import {isDatabaseFault} from '../../src/server/database/fault.ts';
import type {Database} from '../../src/server/database/tables.ts';
import {postgresUrl} from '../postgres.ts';
import {contentsOf} from './contents.ts';
import {engines} from './database/engines.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {toRequest, tracesPath} from './ingest/push.ts';
import {ask, type Parameters, populate} from './populated.ts';

const ids = Object.keys(endpoints) as EndpointId[];
const reads = ids.filter(id => endpoints[id].method === 'GET');
const writes = ids.filter(id => endpoints[id].method !== 'GET');

const lost = {
	code: 502,
	detail: 'The database of this server does not answer, or has no room. Nothing was changed; try again.',
	type: 'database_error',
};

/** The answers to a good request of each operation, as far as they refuse it. */
async function askAll(server: TestServer, parameters: Parameters, those: readonly EndpointId[]) {
	const answers: Record<string, unknown> = {};
	for (const id of those) {
		const {status, json} = await ask(server, id, parameters);
		answers[id] = status < 300 ? status : json;
	}

	return answers;
}

const all = (those: readonly EndpointId[], answer: unknown) => Object.fromEntries(those.map(id => [id, answer]));

/** Changes the PostgreSQL database of a server from outside, and ends every connection to it. Gives its name. */
async function disconnect(database: Database, change: (name: string) => string): Promise<string> {
	const {rows} = await sql<{name: string}>`select current_database() as name`.execute(database);
	const name = rows[0]?.name ?? '';
	await administer(change(name));
	await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
	return name;
}

/** Waits until a server has noticed which of its connections have ended: all that it may have answer. */
async function reconnect(database: Database): Promise<void> {
	for (let left = 100; left > 0; left--) {
		const asked = Array.from({length: 10}, () => sql`select 1`.execute(database));
		const answers = await Promise.allSettled(asked);
		if (answers.every(({status}) => status === 'fulfilled')) {
			return;
		}

		await new Promise(resolve => setTimeout(resolve, 20));
	}
}

async function administer(statement: string): Promise<void> {
	const client = new pg.Client({connectionString: postgresUrl(inject('postgres'), 'postgres')});
	await client.connect();
	await client.query(statement).finally(() => client.end());
}

describe.each(engines)('on %s', engine => {
	test('every operation says that the database is gone, in the specified form', async () => {
		const server = await createTestServer(engine);
		const parameters = await populate(server);
		await server.database.destroy();
		expect(await askAll(server, parameters, ids)).toEqual(all(ids, lost));
	});

	test('where nothing can be written everything can still be read, and nothing is half-written', {
		timeout: 30_000,
	}, async () => {
		const server = await createTestServer(engine);
		const parameters = await populate(server, {withEnvironment: true});
		await startEnrollment(server.services, server.owner.id);
		await ask(server, 'resolveTraceArtifact', parameters);
		// The key is due to remember its use, too.
		server.advance(120_000);
		if (engine === 'sqlite') {
			await sql`pragma query_only = on`.execute(server.database);
		} else {
			const setting = 'default_transaction_read_only';
			const name = await disconnect(server.database, its => `alter database ${its} set ${setting} = on`);
			onTestFinished(() => administer(`alter database ${name} reset ${setting}`));
			await reconnect(server.database);
		}

		const before = await contentsOf(server.database);
		expect(await askAll(server, parameters, reads)).toEqual(all(reads, 200));
		expect(await askAll(server, parameters, writes)).toEqual(all(writes, lost));
		expect(await contentsOf(server.database)).toEqual(before);
	});
});

test.skipIf(!engines.includes('postgres'))(
	'a PostgreSQL that takes no connections is gone, and is back as soon as it takes some',
	async () => {
		const server = await createTestServer('postgres');
		const parameters = await populate(server);
		const before = await contentsOf(server.database);
		const name = await disconnect(server.database, its => `alter database ${its} with allow_connections false`);
		expect(await askAll(server, parameters, ids)).toEqual(all(ids, lost));
		await administer(`alter database ${name} with allow_connections true`);
		await reconnect(server.database);
		expect((await ask(server, 'getUserPreferences', parameters)).status).toBe(200);
		expect(await contentsOf(server.database)).toEqual(before);
	},
);

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
