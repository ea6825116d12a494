import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {storedBytes} from '../../../src/server/database/migrations/007-stored-bytes.ts';
import {changeLimits} from '../../../src/server/sandboxes/organization-limits.ts';
import {oidOf, upload} from '../artifacts/artifacts.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {toRequest, tracesPath} from '../ingest/push.ts';

const full = {
	status: 429,
	json: {
		code: 429,
		type: 'usage_limit_exceeded_error',
		detail:
			'The organization may store 100 kB of spans and artifacts, and this would exceed it. Ask the server’s administrator for more. Send it again in 60 s.',
	},
};

const stored = async ({database}: TestServer) =>
	(await database.selectFrom('stored_bytes').select('bytes').execute()).map(({bytes}) => bytes);

const push = (server: TestServer, id: string, size: number) =>
	server.send(tracesPath, {method: 'POST', body: toRequest([{id, attributes: {text: 'a'.repeat(size)}}])});

const withLength = (size: number) => ({headers: {'content-length': String(size)}});

test('[21] an organization stores spans up to its limit, and nothing of a rejected request', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	expect((await push(server, '1', 60_000)).status).toBe(200);
	const [before = 0] = await stored(server);
	expect(before).toBeGreaterThan(60_000);
	expect(before).toBeLessThan(61_000);
	// Sending it again counts once.
	expect((await push(server, '1', 60_000)).status).toBe(200);
	const refused = await push(server, '2', 60_000);
	expect([refused, refused.headers.get('retry-after')]).toMatchObject([full, '60']);
	expect(await stored(server)).toEqual([before]);
	expect((await server.database.selectFrom('spans').select('span_id').execute()).length).toBe(1);
	expect((await push(server, '3', 30_000)).status).toBe(200);

	// Another organization has its own limit.
	const rival = await server.foundAnother();
	const body = toRequest([{id: '4', attributes: {text: 'a'.repeat(60_000)}}]);
	const path = tracesPath.replace('/acme/', '/rival/');
	expect((await server.send(path, {method: 'POST', body, key: rival.key})).status).toBe(200);
});

test('[21] a resource counts with each of its spans, so that few bytes cannot become many', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	const body = toRequest(
		Array.from({length: 50}, (_, index) => ({id: String(index + 1)})),
		{text: 'a'.repeat(10_000)},
	);
	expect(await server.send(tracesPath, {method: 'POST', body})).toMatchObject({
		status: 400,
		json: {detail: expect.stringMatching(/more\. No room would be enough for this request\.$/)},
	});
});

test('an organization with a limit of its own stores up to that, more or less than the server’s', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	const limit = (storageBytes: number) => changeLimits(server.services, {organization: 'acme', storageBytes});
	await limit(50_000);
	expect((await push(server, '1', 60_000)).status).toBe(400);
	await limit(200_000);
	expect((await push(server, '1', 60_000)).status).toBe(200);
	expect((await push(server, '2', 60_000)).status).toBe(200);
	expect((await limit(70_000)).stored_bytes).toBeGreaterThan(120_000);
	expect((await push(server, '3', 60_000)).status).toBe(429);
	// What is stored may be sent again.
	expect((await push(server, '2', 60_000)).status).toBe(200);
	await limit(0);
	expect((await push(server, '4', 60_000)).status).toBe(429);
});

test('[21] a resource shared by many spans cannot make a request large enough to stop the server', async () => {
	const server = await createTestServer();
	const spans = Array.from({length: 140}, (_, index) => ({id: String(index + 1)}));
	const body = toRequest(spans, {text: 'a'.repeat(1_000_000)});
	const {status, json} = await server.send(tracesPath, {method: 'POST', body});
	expect([status, json.detail]).toEqual([
		400,
		'A request may hold 134217728 bytes, with its resource for each span. Send smaller batches.',
	]);
	expect(await stored(server)).toEqual([]);
});

test('data stored before counting began is counted, too', async () => {
	const server = await createTestServer();
	await push(server, '1', 5000);
	const body = toRequest([{id: '2', name: 'Grüße', attributes: {text: '日本'.repeat(500)}}]);
	expect((await server.send(tracesPath, {method: 'POST', body})).status).toBe(200);
	const counted = await stored(server);
	await sql`drop table stored_bytes`.execute(server.database);
	for (const statement of storedBytes) {
		await sql.raw(statement).execute(server.database);
	}

	expect(await stored(server)).toEqual(counted);
});

test('concurrent uploads never exceed the storage limit', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	const all = await Promise.all(
		['a', 'b', 'c', 'd'].map(name => upload(server, name, name.repeat(40_000), withLength(40_000))),
	);
	expect(all.map(({status}) => status).sort()).toEqual([201, 201, 429, 429]);
	expect(all.find(({status}) => status === 429)).toEqual(full);
	expect(await stored(server)).toEqual([80_000]);
});

test('[21] an upload without an announced size ends when the storage is full', async () => {
	const server = await createTestServer({storageLimit: 10_000_000});
	const piece = new Uint8Array(1_000_000);
	const pieces = (count: number) =>
		new ReadableStream<Uint8Array>({
			start(controller) {
				for (let index = 0; index < count; index += 1) {
					controller.enqueue(piece);
				}

				controller.close();
			},
		});
	expect((await upload(server, 'fits', pieces(5))).status).toBe(201);
	expect(await stored(server)).toEqual([5_000_000]);
	const refused = await upload(server, 'too much', pieces(20));
	expect(refused).toMatchObject({status: 429, json: {type: 'usage_limit_exceeded_error'}});
	expect(await stored(server)).toEqual([5_000_000]);
});

test('an upload is counted only once it has arrived, so that a crash leaves nothing counted', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	const {readable, writable} = new TransformStream<Uint8Array, Uint8Array>();
	const slow = writable.getWriter();
	const first = upload(server, 'slow', readable, withLength(60_000));
	await slow.write(new Uint8Array(60_000));
	expect(await stored(server)).toEqual([]);
	// Meanwhile its storage is its own.
	expect(await upload(server, 'other', 'b'.repeat(60_000), withLength(60_000))).toEqual(full);
	await slow.close();
	expect((await first).status).toBe(201);
	expect(await stored(server)).toEqual([60_000]);
});

test('an upload that fits is accepted to the last byte, also without an announced size', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	expect((await upload(server, 'a', 'a'.repeat(99_000))).status).toBe(201);
	expect((await upload(server, 'b', 'b'.repeat(1000))).status).toBe(201);
	expect(await upload(server, 'c', 'c')).toEqual(full);
	expect(await stored(server)).toEqual([100_000]);
});

test('stored data can be sent again when the storage is full', async () => {
	const server = await createTestServer({storageLimit: 100_000});
	await push(server, '1', 60_000);
	await server.database.updateTable('stored_bytes').set({bytes: 200_000}).execute();
	expect((await push(server, '1', 60_000)).status).toBe(200);
	expect(await push(server, '2', 1)).toMatchObject(full);
});

test('artifacts count once with their size, and not if they are rejected', async () => {
	const server = await createTestServer({storageLimit: 100_000_000});
	const bytes = 'b'.repeat(1000);
	expect((await upload(server, oidOf(bytes), bytes)).status).toBe(201);
	expect(await stored(server)).toEqual([1000]);
	expect((await upload(server, oidOf(bytes), bytes)).status).toBe(200);
	expect((await upload(server, oidOf('other'), bytes, withLength(1000))).status).toBe(400);
	expect((await upload(server, 'empty', '')).status).toBe(201);
	expect(await stored(server)).toEqual([1000]);
	for (const length of ['-1', 'x', '1e99', '1000']) {
		const {status} = await upload(server, `said ${length}`, bytes, {headers: {'content-length': length}});
		expect([length, status]).toEqual([length, length === '1e99' ? 400 : 201]);
	}

	expect(await stored(server)).toEqual([4000]);
});
