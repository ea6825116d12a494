import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {sql} from 'kysely';
import {describe, expect, inject, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {isDatabaseFault} from '../../../src/server/database/fault.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {toRequest} from '../ingest/push.ts';
import {emptyPlace} from './engine.ts';
import {hasPgBouncer, startPgBouncer} from './pgbouncer.ts';

type Options = Parameters<typeof startPgBouncer>[1];

/** Returns an empty database behind PgBouncer, and one connection to it without. */
async function behind(options: Options) {
	const place = await emptyPlace();
	const url = place.engine === 'postgres' ? place.url : '';
	const pooler = await startPgBouncer(inject('postgres'), options);
	const direct = await openDatabase(place);
	onTestFinished(() => direct.destroy());
	return {direct, pooler, url: `postgres://service@127.0.0.1:${pooler.port}${new URL(url).pathname}`};
}

async function openBehind(options: Options) {
	const {direct, pooler, url} = await behind(options);
	const database = await openDatabase({engine: 'postgres', url});
	onTestFinished(() => database.destroy());
	return {database, direct, pooler};
}

/** With parameters that it refuses, and with an administrator who lets it ignore them. */
const poolers: readonly Options[] = [
	{mode: 'session'},
	{mode: 'transaction'},
	{
		mode: 'transaction',
		ignored: [
			'options',
			'statement_timeout',
			'lock_timeout',
			'idle_in_transaction_session_timeout',
			'extra_float_digits',
		],
	},
];

const named = poolers.map(
	options => [`${options.mode}${options.ignored ? ', parameters ignored' : ''}`, options] as const,
);

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
	test.each(named)('(%s) a database is created, and a server answers many requests at once', async (_, options) => {
		const {direct, url} = await behind(options);
		await sql`drop schema public cascade`.execute(direct);
		await sql`create schema public`.execute(direct);
		const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
		onTestFinished(() => rm(folder, {recursive: true, force: true}));
		const server = await startServer({location: {engine: 'postgres', url}, folder, environment: {}});
		onTestFinished(() => server.close());
		const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'owner@acme.example'};
		const {apiKey} = await initialize(server.services, beginning);
		const headers = {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'};
		const statuses = await Promise.all(
			Array.from({length: 60}, async (_, index) => {
				const id = randomUUID();
				const span = {id: '1', trace: id.replaceAll('-', ''), attributes: {'gen_ai.conversation.id': id}};
				const response =
					index % 2 === 0
						? await fetch(`${server.url}/api/v1/user/preferences`, {headers})
						: await fetch(`${server.url}/api/v1/org/acme/otel/traces`, {
								method: 'POST',
								headers,
								body: JSON.stringify(toRequest([span])),
							});
				await response.text();
				return response.status;
			}),
		);
		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(await direct.selectFrom('sessions').select('id').execute()).toHaveLength(30);
		expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
	});

	test.each(named)('(%s) a query is never answered by the plan of another', async (_, options) => {
		const {database} = await openBehind(options);
		const read = async (index: number) => {
			const column = sql.ref(`c${index % 7}`);
			const {rows} = await sql<Record<string, number>>`select ${index}::int as ${column}, pg_sleep(0.001)`.execute(
				database,
			);
			return rows[0]?.[`c${index % 7}`];
		};
		const answers = await Promise.all(Array.from({length: 300}, (_, index) => read(index)));
		expect(answers).toEqual(Array.from({length: 300}, (_, index) => index));
	});

	test.each(named)('(%s) transactions have our isolation and timeouts, and leave none behind', async (_, options) => {
		const {database, direct, pooler} = await openBehind(options);
		const name = sql.ref(
			(await sql<{name: string}>`select current_database() as name`.execute(direct)).rows[0]?.name ?? '',
		);
		await sql`alter database ${name} set default_transaction_isolation = 'serializable'`.execute(direct);
		onTestFinished(async () => {
			await sql`alter database ${name} reset default_transaction_isolation`.execute(direct);
		});
		await pooler.end();
		await pooler.start();
		const settings = sql<{isolation: string; timeout: string}>`select
			current_setting('transaction_isolation') as isolation, current_setting('statement_timeout') as timeout`;
		const inside = () =>
			database.transaction().execute(async transaction => (await settings.execute(transaction)).rows);
		await expect.poll(() => inside().catch(() => 'lost')).toEqual([{isolation: 'read committed', timeout: '20s'}]);
		expect((await settings.execute(database)).rows).toEqual([{isolation: 'serializable', timeout: '0'}]);
	});

	test.each(named)(
		'(%s) a pooler that goes away in a transaction loses it whole, and is used once it is back',
		async (_, options) => {
			const {database, direct, pooler} = await openBehind(options);
			const row = (key: string) => ({key, count: 1, resets_at: ''});
			const failing = database.transaction().execute(async transaction => {
				await transaction.insertInto('attempts').values(row('lost')).execute();
				await pooler.end();
				await transaction.insertInto('attempts').values(row('too')).execute();
			});
			expect(isDatabaseFault(await failing.catch((error: unknown) => error))).toBe(true);
			expect(isDatabaseFault(await settled(database.insertInto('attempts').values(row('no')).execute()))).toBe(true);
			await pooler.start();
			await database.insertInto('attempts').values(row('yes')).execute();
			expect(await direct.selectFrom('attempts').select('key').execute()).toEqual([{key: 'yes'}]);
		},
	);

	test.each(named)(
		'(%s) a transaction whose process PostgreSQL ends is rejected as a database fault',
		async (_, options) => {
			const {database, direct} = await openBehind(options);
			const failing = database.transaction().execute(async transaction => {
				const {rows} = await sql<{pid: number}>`select pg_backend_pid() as pid`.execute(transaction);
				await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`.execute(direct);
				await transaction.insertInto('attempts').values({key: 'a', count: 1, resets_at: ''}).execute();
			});
			expect(isDatabaseFault(await settled(failing))).toBe(true);
			expect(await database.selectFrom('attempts').select('key').execute()).toEqual([]);
		},
	);
});

const settled = (work: Promise<unknown>) => work.catch((error: unknown) => error);
