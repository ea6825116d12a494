import {sql} from 'kysely';
import {expect, inject, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/server/database/open.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {fitTurns} from '../../../src/server/kit/organization-turns.ts';
import {postgresUrl} from '../../postgres.ts';
import {createTestServer, inWorkspace, send, type TestServer} from '../harness.ts';
import {eventually} from './sandbox.ts';
import {addTask} from './task-folder.ts';

const burst = 30;

/** Locks the organization as another server does while it decides about its sandboxes. */
async function holdOrganization({database}: TestServer, slug = 'acme') {
	const held = await database.startTransaction().execute();
	onTestFinished(async () => void (held.isCommitted || held.isRolledBack || (await held.rollback().execute())));
	await held.updateTable('organizations').set({slug}).where('slug', '=', slug).execute();
	return held;
}

/** Returns how many connections wait for a row that another one has locked. */
async function countWaiting({database}: TestServer): Promise<number> {
	const {rows} = await sql<{count: number}>`select count(*) as count from pg_stat_activity
		where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
	return rows[0]?.count ?? 0;
}

async function serverWithTask() {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	const create = (path: string, key?: string) =>
		server.send(`${path}/environments`, {method: 'POST', body: {task_ref: 'sleeper'}, ...(key && {key})});
	return {server, create};
}

test('a burst of one organization waits on one connection, and another organization is answered meanwhile', async () => {
	const {server, create} = await serverWithTask();
	const rival = await server.foundAnother();
	await server.database.updateTable('organizations').set({sandbox_capacity: 1}).execute();
	const held = await holdOrganization(server);
	const asked = Array.from({length: burst}, () => create(inWorkspace));
	await eventually(async () => (await countWaiting(server)) > 0);

	const answers = [await create('/api/v1/org/rival/ws/main', rival.key)];
	for (let round = 0; round < 10; round++) {
		answers.push(await create('/api/v1/org/rival/ws/main', rival.key));
		// None, while one that waited for too long gives way to the next.
		expect(await countWaiting(server)).toBeLessThanOrEqual(1);
	}

	expect(answers.map(({status}) => status)).toEqual([200, ...Array(10).fill(409)]);
	await held.rollback().execute();
	const statuses = (await Promise.all(asked)).map(({status}) => status);
	// A slow machine holds the lock for longer than some of them wait.
	expect(statuses.filter(status => ![200, 409, 429].includes(status))).toEqual([]);
	expect(statuses.filter(status => status === 200)).toEqual([200]);
});

test('what waits for a locked organization for too long is refused in words, and nothing of it is saved', async () => {
	const {server, create} = await serverWithTask();
	const {rows} = await sql<{name: string}>`select current_database() as name`.execute(server.database);
	const database = await openDatabase({
		engine: 'postgres',
		url: postgresUrl(inject('postgres'), rows[0]?.name ?? ''),
		lockTimeoutMs: 40,
	});
	onTestFinished(() => database.destroy());
	const impatient = createApp({services: {...server.services, database}});
	const held = await holdOrganization(server);
	const asked = {method: 'POST', key: server.owner.key, body: {task_ref: 'sleeper'}};
	const {status, headers, json} = await send(impatient, `${inWorkspace}/environments`, asked);
	expect([status, headers.get('retry-after'), json]).toEqual([
		429,
		'2',
		{
			code: 429,
			type: 'database_error',
			detail:
				'Another change takes too long, and this one would have to wait for it. Nothing was changed. Try again in 2 s.',
		},
	]);
	expect(await server.database.selectFrom('sandboxes').select('id').execute()).toEqual([]);
	await held.rollback().execute();
	expect((await create(inWorkspace)).status).toBe(200);
});

test('of a pool of two, one connection is left when every organization waits', async () => {
	const {server} = await serverWithTask();
	const keys = new Map([['acme', server.owner.key]]);
	for (const name of ['rival', 'third', 'fourth']) {
		keys.set(name, (await server.foundAnother(name)).key);
	}

	const {rows} = await sql<{name: string}>`select current_database() as name`.execute(server.database);
	const url = postgresUrl(inject('postgres'), rows[0]?.name ?? '');
	const database = await openDatabase({engine: 'postgres', url, connections: 2});
	fitTurns(database, 2);
	onTestFinished(() => database.destroy());
	const small = createApp({services: {...server.services, database}});
	const held = await server.database.startTransaction().execute();
	onTestFinished(async () => void (held.isCommitted || (await held.rollback().execute())));
	await held
		.updateTable('organizations')
		.set(({ref}) => ({name: ref('name'), sandbox_capacity: 0}))
		.execute();
	const asked = [...keys].map(([name, key]) =>
		send(small, `/api/v1/org/${name}/ws/main/environments`, {method: 'POST', key, body: {task_ref: 'sleeper'}}),
	);
	await eventually(async () => (await countWaiting(server)) === 1);
	for (const [name, key] of keys) {
		expect((await send(small, `/api/v1/org/${name}/ws/main/environments`, {key})).status).toBe(200);
	}

	await held.commit().execute();
	const statuses = (await Promise.all(asked)).map(({status}) => status);
	expect(statuses.filter(status => ![409, 429].includes(status))).toEqual([]);
});
