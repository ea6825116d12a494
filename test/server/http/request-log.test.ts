import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';
import {logRequest} from '../../../src/server/http/request-record.ts';
import {jsonLog} from '../../../src/server/kit/log.ts';
import {createTestServer, scope} from '../harness.ts';
import {send} from '../serve.ts';

/** A server on a port, and the lines of its log. */
async function open(publicUrl = '') {
	const server = await createTestServer();
	const lines: string[] = [];
	const log = jsonLog(line => void lines.push(line), {now: () => new Date(0)});
	const listening = await listen(server.app, {onDone: record => logRequest(log, record, publicUrl)});
	onTestFinished(() => listening.close());
	const logged = async (count: number): Promise<Record<string, unknown>[]> => {
		await expect.poll(() => lines.length, {interval: 5}).toBe(count);
		return lines.map(line => JSON.parse(line));
	};
	return {server, url: listening.url, lines, logged};
}

test('each request is one line of JSON that says who asked for what, and its answer carries the id', async () => {
	const {server, url, lines, logged} = await open();
	const headers = {authorization: `Bearer ${server.owner.key}`};
	const {headers: sent, text} = await send(url, {path: `/api/v1/org/${scope.org}/ws/main/sessions?page=1`, headers});
	const [entry] = await logged(1);
	expect(entry).toEqual({
		ts: '1970-01-01T00:00:00.000Z',
		level: 'info',
		msg: 'request',
		request_id: sent['x-request-id'],
		address: '127.0.0.1',
		user: server.owner.id,
		organization: scope.org,
		method: 'GET',
		route: '/api/v1/org/:org/ws/:workspace/sessions',
		path: `/api/v1/org/${scope.org}/ws/main/sessions`,
		status: 200,
		duration_ms: expect.any(Number),
		bytes_in: expect.any(Number),
		bytes_out: expect.any(Number),
	});
	expect(entry?.['bytes_out']).toBeGreaterThan(text.length);
	expect(entry?.['bytes_in']).toBeGreaterThan(server.owner.key.length);
	expect(lines[0]).toMatch(/^\{.*\}\n$/);
});

test('a stranger, an unknown path and a failure are logged without an organization or a route', async () => {
	const {server, url, logged} = await open();
	await send(url, {path: `/api/v1/org/${scope.org}/ws/main/sessions`});
	await send(url, {path: '/nothing', headers: {authorization: `Bearer ${server.owner.key}`}});
	await server.database.destroy();
	await send(url, {path: '/api/v1/user/preferences', headers: {authorization: `Bearer ${server.owner.key}`}});
	const entries = await logged(3);
	expect(entries.map(({status, route, organization, level}) => [status, route, organization, level])).toEqual([
		[401, '/api/v1/org/:org/ws/:workspace/sessions', undefined, 'info'],
		[404, undefined, undefined, 'info'],
		[502, '/api/v1/user/preferences', undefined, 'error'],
	]);
	const failed = server.entries.find(({message}) => message === 'failed');
	expect(failed?.['request_id']).toBe(entries[2]?.['request_id']);
});

test('behind a TLS proxy the address is the one that the proxy saw, and a client cannot choose it', async () => {
	const behind = await open('https://agents.example');
	await send(behind.url, {path: '/healthz', headers: {'x-forwarded-for': '192.0.2.66, 203.0.113.7'}});
	expect((await behind.logged(1))[0]?.['address']).toBe('203.0.113.7');
	const direct = await open();
	await send(direct.url, {path: '/healthz', headers: {'x-forwarded-for': '203.0.113.7'}});
	expect((await direct.logged(1))[0]?.['address']).toBe('127.0.0.1');
});

test('a request id is kept if it is short and clean; any other is replaced, and none breaks a line', async () => {
	const {url, lines, logged} = await open();
	let count = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				fc.stringMatching(/^[\w.-]{1,64}$/),
				fc.stringMatching(/^[\x21-\x7e]{1,80}$/),
				fc.constantFrom('a"b', '{"level":"error"}', 'x'.repeat(65), '../..', 'a b'),
			),
			async given => {
				const {headers} = await send(url, {path: '/healthz', headers: {'x-request-id': given}});
				const id = String(headers['x-request-id']);
				expect(id === given).toBe(/^[\w.-]{1,64}$/.test(given));
				expect(id).toMatch(/^[\w.-]{1,64}$/);
				count++;
				expect((await logged(count)).at(-1)).toMatchObject({request_id: id, msg: 'request'});
			},
		),
		{numRuns: 50},
	);
	expect(lines.every(line => line.indexOf('\n') === line.length - 1)).toBe(true);
});

test('an answer that no route gives has an id, too', async () => {
	const {url} = await open();
	const {headers} = await send(url, {method: 'TRACE', path: '/healthz'});
	expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
});
