import {join} from 'node:path';
import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import {serve} from '../../../src/server/run/serve.ts';
import {openEngine} from '../../../src/server/sandboxes/docker/open-engine.ts';
import {freePort} from '../../free-port.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {createTestServer, send} from '../harness.ts';
import {stubEngine} from '../sandboxes/docker/stub-engine.ts';

test('/readyz answers 200 while the database accepts changes, and changes nothing', async () => {
	const server = await createTestServer();
	const {status, json} = await send(server.app, '/readyz', {});
	expect([status, json]).toEqual([200, {status: 'ok', database: 'ok', engine: 'ok'}]);
});

test('/readyz answers 503 with the reason while the database accepts no changes, and /healthz stays', async () => {
	const server = await createTestServer();
	await sql`pragma query_only = on`.execute(server.database);
	const {status, json, headers} = await send(server.app, '/readyz', {});
	expect([status, json, headers.get('retry-after')]).toEqual([
		503,
		{
			status: 'unavailable',
			detail: 'The database accepts no writes. Check whether it is a standby, or a file or disk that may only be read.',
			database:
				'The database accepts no writes. Check whether it is a standby, or a file or disk that may only be read.',
			engine: 'ok',
		},
		'1',
	]);
	expect((await send(server.app, '/healthz', {})).json).toEqual({status: 'ok'});
	await sql`pragma query_only = off`.execute(server.database);
	expect((await send(server.app, '/readyz', {})).status).toBe(200);
});

test('/readyz answers 503 once the database is closed', async () => {
	const server = await createTestServer();
	await server.database.destroy();
	const {status, json} = await send(server.app, '/readyz', {});
	const detail =
		'The database does not answer, has no room, or is damaged. Check that it runs, its disk, and --database.';
	expect([status, json]).toEqual([503, {status: 'unavailable', detail, database: detail, engine: 'ok'}]);
});

test('any number of callers of /readyz ask the database once', async () => {
	const server = await createTestServer();
	let asked = 0;
	const update = server.database.updateTable.bind(server.database);
	server.database.updateTable = ((table: 'workspaces') => {
		asked++;
		return update(table);
	}) as typeof server.database.updateTable;
	const answers = await Promise.all(Array.from({length: 50}, () => send(server.app, '/readyz', {})));
	expect(new Set(answers.map(({status}) => status))).toEqual(new Set([200]));
	expect(asked).toBeLessThan(5);
});

test('/readyz names an engine that does not answer, beside a database that does', async () => {
	const {services} = await createTestServer();
	const port = await freePort();
	const provider = openEngine({engine: `docker=tcp://127.0.0.1:${port}`}, {});
	onTestFinished(() => provider.close());
	const app = createApp({services: {...services, sandboxes: {...services.sandboxes, provider}}});
	const {status, json} = await send(app, '/readyz', {});
	expect([status, json.status, json.database]).toEqual([503, 'unavailable', 'ok']);
	expect(json.engine).toContain(`127.0.0.1:${port}`);
	expect(json.detail).toBe(json.engine);
});

test('/readyz names an engine that has answered, and is gone or broken since', async () => {
	const {services} = await createTestServer();
	let status = 200;
	const {provider, end} = await stubEngine({'GET /_ping': () => [status]});
	const app = createApp({services: {...services, sandboxes: {...services.sandboxes, provider}}});
	const ready = async () => {
		const {status: code, json} = await send(app, '/readyz', {});
		return [code, json.engine];
	};
	expect(await ready()).toEqual([200, 'ok']);
	status = 500;
	expect(await ready()).toEqual([503, 'Docker couldn’t answer: status 500.']);
	status = 200;
	expect(await ready()).toEqual([200, 'ok']);
	await end();
	expect(await ready()).toEqual([503, expect.stringContaining('doesn’t answer')]);
});

test('a server that drains answers as before, while /readyz says that it stops', async () => {
	const folder = temporaryFolder();
	const stop = new AbortController();
	let began = (_ms: number) => {};
	const draining = new Promise<number>(resolve => {
		began = resolve;
	});
	const served = await serve({
		env: {SERVICE_HOME: folder},
		data: join(folder, 'data'),
		host: undefined,
		port: 0,
		artifacts: undefined,
		storageLimit: undefined,
		publicUrl: undefined,
		unsafeSandboxes: false,
		demo: false,
		logLevel: 'error',
		writeLog: () => {},
		drainMs: 1000,
		onDraining: began,
		signal: stop.signal,
	});
	const ask = async (path: string) => {
		const response = await fetch(`${served.url}${path}`);
		return [response.status, await response.json()];
	};
	expect(await ask('/readyz')).toMatchObject([200, {status: 'ok'}]);
	stop.abort();
	expect(await draining).toBe(1000);
	expect(await ask('/readyz')).toEqual([503, {status: 'draining', detail: 'This server is stopping.'}]);
	expect(await ask('/healthz')).toEqual([200, {status: 'ok'}]);
	await served.ended;
	await expect(fetch(served.url)).rejects.toThrow('fetch failed');
});
