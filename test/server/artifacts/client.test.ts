import {randomUUID} from 'node:crypto';
import {readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {dataOf, testContext} from '../../commands/context.ts';
import {toRequest} from '../ingest/push.ts';
import {oidOf, traceId} from './artifacts.ts';

test('the client saves an artifact that a program uploaded and a span refers to', async () => {
	const folder = join(tmpdir(), `service-client-${randomUUID()}`);
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const server = await startServer({location: {engine: 'sqlite', file: ':memory:'}, folder, environment: {}});
	onTestFinished(() => server.close());
	const scope = {organization: 'acme', workspace: 'main', project: 'web'};
	const {apiKey} = await initialize(server.services, {...scope, email: 'ada@acme.example'});
	const key = apiKey.reveal();

	const bytes = Buffer.from('a,b\n1,2\n');
	const oid = oidOf(bytes);
	const authorization = `Bearer ${key}`;
	const put = `${server.url}/api/v1/org/acme/ws/main/artifacts/${oid}`;
	expect((await fetch(put, {method: 'PUT', headers: {authorization}, body: bytes})).status).toBe(201);
	const attributes = {'dreadnode.artifacts': [{oid, filename: 'table.csv', mime_type: 'text/csv'}]};
	const pushed = await fetch(`${server.url}/api/v1/org/acme/otel/traces`, {
		method: 'POST',
		headers: {authorization, 'content-type': 'application/json'},
		body: JSON.stringify(toRequest([{id: '1', trace: traceId, attributes}])),
	});
	expect(await pushed.json()).toEqual({});

	const client = testContext({flags: {server: server.url, org: 'acme', workspace: 'main'}});
	await client.run('login', key);
	expect(dataOf(await client.run('trace', 'artifact', traceId, oid))).toMatchObject({
		filename: 'table.csv',
		mime_type: 'text/csv',
		size_bytes: 8,
	});
	const saved = join(folder, 'saved.csv');
	await client.run('trace', 'artifact', traceId, oid, saved, '--download');
	expect(await readFile(saved)).toEqual(bytes);
	await expect(client.run('trace', 'artifact', traceId, oidOf('other'))).rejects.toMatchObject({code: 'not-found'});
});
