import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {ServerLogEntry} from '../../../src/server/kit/log.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {emptyPlace} from '../database/engine.ts';

test('a server that stops while it creates keys answers each request, and stores what it confirms', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-shutdown-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const place = await emptyPlace();
	const location = place.engine === 'sqlite' ? {...place, file: join(folder, 'service.db')} : place;
	const entries: ServerLogEntry[] = [];
	const log = (entry: ServerLogEntry) => void entries.push(entry);
	const server = await startServer({location, folder, environment: {}, closeTimeoutMs: 60_000, log});
	onTestFinished(() => server.close().catch(() => undefined));
	const scope = {organization: 'acme', workspace: 'main', project: 'web'};
	const {apiKey} = await initialize(server.services, {...scope, email: 'owner@acme.example'});

	let closed: Promise<void> | undefined;
	const create = async (name: string) => {
		const response = await fetch(`${server.url}/api/v1/user/api-keys`, {
			method: 'POST',
			headers: {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'},
			body: JSON.stringify({name}),
		}).catch(() => undefined);
		// The first response stops the server while others are in progress.
		closed ??= server.close();
		await response?.text();
		return {name, status: response?.status ?? 'not connected'};
	};
	const results = await Promise.all(Array.from({length: 30}, (_, index) => create(`key ${index}`)));
	await closed;

	const confirmed = results.filter(({status}) => status === 200 || status === 201).map(({name}) => name);
	expect(confirmed.length).toBeGreaterThan(0);
	expect(
		results.filter(({name, status}) => !confirmed.includes(name) && status !== 503 && status !== 'not connected'),
	).toEqual([]);
	expect(entries.filter(({level}) => level === 'error')).toEqual([]);
	const database = await openDatabase(location);
	onTestFinished(() => database.destroy());
	const stored = await database.selectFrom('api_keys').select('name').where('name', 'like', 'key %').execute();
	expect(stored.map(({name}) => name).sort()).toEqual(confirmed.toSorted());
});
