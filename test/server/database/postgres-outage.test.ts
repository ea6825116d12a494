import {randomBytes, randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {sql} from 'kysely';
import {expect, inject, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import type {DatabaseLocation} from '../../../src/server/database/location.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {createPostgres, postgresUrl} from '../../postgres.ts';
import {canMount, notRoot, smallDisk} from '../../small-disk.ts';
import {toRequest} from '../ingest/push.ts';
import {fullDisk, lost} from './ask-all.ts';
import {emptyPlace} from './engine.ts';
import {createNetwork} from './frozen-network.ts';

/** A server on a port, with its owner's requests. */
async function serveOn(place: DatabaseLocation) {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const server = await startServer({location: place, folder, environment: {}});
	onTestFinished(() => server.close());
	const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'owner@acme.example'};
	const {apiKey} = await initialize(server.services, beginning);
	const headers = {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'};
	const ask = async (path: string, body?: unknown) => {
		const sent = body === undefined ? {headers} : {headers, method: 'POST', body: JSON.stringify(body)};
		const response = await fetch(`${server.url}${path}`, sent);
		const json = await response.json();
		return response.ok ? response.status : json;
	};
	return {
		database: server.services.database,
		read: () => ask('/api/v1/user/preferences'),
		/** The status of `/readyz`, and its word. */
		ready: async () => {
			const response = await fetch(`${server.url}/readyz`);
			const {status} = (await response.json()) as {status: string};
			return [response.status, status];
		},
		/** One span from which a session with a message, a run and an item are derived. */
		push: (id: string, text?: string) => ask('/api/v1/org/acme/otel/traces', toRequest([spanOf(id, text)])),
	};
}

const lostAnswer =
	'The database of this server was lost while it saved. Check whether it took effect before you try again.';

const spanOf = (id: string, text = '') => ({
	id: '1',
	trace: id.replaceAll('-', ''),
	attributes: {
		'gen_ai.conversation.id': id,
		'gen_ai.operation.name': 'chat',
		'service.workflow.run.id': id,
		'service.item.id': id,
		'service.item.type': 'notes',
		'service.item.data': '{}',
		'some.text': text,
	},
});

test('a PostgreSQL that crashes under load loses and splits nothing that was committed, and is used again', async () => {
	const postgres = await createPostgres();
	onTestFinished(async () => {
		await postgres?.end('SIGQUIT');
		postgres?.remove();
	});
	await postgres?.start();
	const url = postgresUrl(postgres?.folder ?? '', 'postgres');
	const {database, read, push} = await serveOn({engine: 'postgres', url});
	const stored: string[] = [];
	const answers = new Set<unknown>();
	let isOver = false;
	const load = Array.from({length: 6}, async () => {
		while (!isOver) {
			const id = randomUUID();
			const [pushed, answer] = [await push(id), await read()];
			stored.push(...(pushed === 200 ? [id] : []));
			answers.add(JSON.stringify(pushed)).add(JSON.stringify(answer));
			await sleep(5);
		}
	});
	for (const round of [1, 2]) {
		const before = stored.length;
		await expect.poll(() => stored.length).toBeGreaterThan(before + 6);
		await postgres?.end('SIGQUIT');
		await expect.poll(() => answers.size).toBeGreaterThan(1);
		await sleep(20 * round);
		await postgres?.start();
	}

	const before = stored.length;
	await expect.poll(() => stored.length).toBeGreaterThan(before + 6);
	isOver = true;
	await Promise.all(load);
	// Nobody knows whether a commit that crashed was saved.
	const unsure = {...lost, detail: lostAnswer};
	expect([...answers].filter(answer => answer !== JSON.stringify(unsure)).sort()).toEqual([
		'200',
		JSON.stringify(lost),
	]);
	const ids = async (table: 'sessions' | 'workflow_runs' | 'items') =>
		(await database.selectFrom(table).select('id').orderBy('id').execute()).map(({id}) => id);
	const [sessions, runs, items] = [await ids('sessions'), await ids('workflow_runs'), await ids('items')];
	expect([runs, items]).toEqual([sessions, sessions]);
	expect(await database.selectFrom('session_messages').select('session_id').execute()).toHaveLength(sessions.length);
	expect(sessions).toEqual(expect.arrayContaining(stored));
});

test.skipIf(!canMount)(
	`while the disk of PostgreSQL is full, also for its log, pushes are refused, and what was accepted is there afterwards${notRoot}`,
	async () => {
		const {root, fill, free} = await smallDisk(192);
		const postgres = await createPostgres({disk: root, settings: ['max_wal_size=48MB', 'wal_recycle=off']});
		onTestFinished(() => postgres?.end('SIGQUIT'));
		await postgres?.start();
		const url = postgresUrl(postgres?.folder ?? '', 'postgres');
		const {database, push, ready} = await serveOn({engine: 'postgres', url});
		const stored: string[] = [];
		const answers: unknown[] = [];
		const pushOne = async (size = 0) => {
			const id = randomUUID();
			// What can't be compressed takes new pages of the table.
			const answer = await push(id, randomBytes(size).toString('base64'));
			stored.push(...(answer === 200 ? [id] : []));
			answers.push(answer);
			return answer;
		};
		expect(await pushOne()).toBe(200);

		fill();
		for (let count = 0; count < 100 && answers.at(-1) === 200; count++) {
			await pushOne(20_000);
		}

		expect([answers.at(-1), await ready()]).toEqual([fullDisk, [503, 'unavailable']]);
		free();
		expect(await pushOne(20_000)).toBe(200);
		await expect.poll(ready).toEqual([200, 'ok']);

		// Without room for the next file of its log it ends every connection, and comes back as far as it can.
		fill();
		answers.length = 0;
		const ending = sql`select pg_switch_wal(), pg_sleep(0.1)`.execute(database).catch(() => undefined);
		for (let count = 0; count < 200 && answers.every(answer => answer === 200); count++) {
			await pushOne();
		}

		await ending;
		const unsure = {...lost, detail: lostAnswer};
		for (const answer of answers.filter(each => each !== 200)) {
			expect([fullDisk, lost, unsure]).toContainEqual(answer);
		}

		expect(answers.at(-1)).not.toBe(200);
		free();
		await postgres?.end('SIGQUIT');
		await postgres?.start();
		await expect.poll(() => ready()).toEqual([200, 'ok']);
		expect(await pushOne()).toBe(200);
		const sessions = await database.selectFrom('sessions').select('id').execute();
		expect(sessions.map(({id}) => id)).toEqual(expect.arrayContaining(stored));
	},
);

/** Starts a server whose connections go through a network, with a timeout that a busy machine keeps to while that works. */
async function behindNetwork() {
	const place = await emptyPlace();
	const folder = inject('postgres');
	const network = await createNetwork(join(folder, '.s.PGSQL.5432'));
	const name = place.engine === 'postgres' ? new URL(place.url).pathname : '';
	const url = `postgres://service@127.0.0.1:${network.port}${name}`;
	return {...(await serveOn({engine: 'postgres', url, answerTimeoutMs: 2000})), network, name: name.slice(1)};
}

test('a dead network times out, and is used again once it works', async () => {
	const {network, read, push, ready} = await behindNetwork();
	expect([await read(), await push(randomUUID())]).toEqual([200, 200]);
	network.freeze();
	const answers = await Promise.all([read(), read(), push(randomUUID())]);
	expect(answers).toEqual([lost, lost, lost]);
	expect(await ready()).toEqual([503, 'unavailable']);
	expect(await read()).toEqual(lost);
	network.thaw();
	await expect.poll(read).toBe(200);
	expect(await ready()).toEqual([200, 'ok']);
	expect(await push(randomUUID())).toBe(200);
});

test('if all connections wait for a lock, further requests fail in time', async () => {
	const {read, push, name} = await behindNetwork();
	const other = await openDatabase({engine: 'postgres', url: postgresUrl(inject('postgres'), name)});
	onTestFinished(() => other.destroy());
	await other.transaction().execute(async transaction => {
		await sql`lock table users in access exclusive mode`.execute(transaction);
		expect(await Promise.all(Array.from({length: 30}, read))).toEqual(Array(30).fill(lost));
	});
	await expect.poll(read).toBe(200);
	expect(await push(randomUUID())).toBe(200);
});
