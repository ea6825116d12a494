import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {createTestServer, send} from '../harness.ts';

test('/readyz answers 200 while the database accepts changes, and changes nothing', async () => {
	const server = await createTestServer();
	const {status, json} = await send(server.app, '/readyz', {});
	expect([status, json]).toEqual([200, {status: 'ok'}]);
});

test('/readyz answers 503 with the reason while the database accepts no changes, and /healthz stays', async () => {
	const server = await createTestServer();
	await sql`pragma query_only = on`.execute(server.database);
	const {status, json, headers} = await send(server.app, '/readyz', {});
	expect([status, json, headers.get('retry-after')]).toEqual([
		503,
		{status: 'unavailable', detail: 'The database accepts no writes.'},
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
	expect([status, json]).toEqual([
		503,
		{status: 'unavailable', detail: 'The database does not answer, has no room, or is damaged.'},
	]);
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
