import {mkdtemp, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {addToOrganization, initializeData, serve} from '../../src/server/serve.ts';

/** Starts servers on one folder; those that start end after the test. */
async function prepare() {
	const home = await mkdtemp(join(tmpdir(), 'service-serve-'));
	onTestFinished(() => rm(home, {recursive: true, force: true}));
	const place = {env: {SERVICE_HOME: home}, data: join(home, 'data')};
	const start = async () => {
		const stopping = new AbortController();
		const server = await serve({
			...place,
			host: undefined,
			port: 0,
			artifacts: undefined,
			publicUrl: undefined,
			demo: false,
			logLevel: 'error',
			writeLog: () => undefined,
			signal: stopping.signal,
		});
		const end = async () => {
			stopping.abort();
			await server.ended;
		};
		onTestFinished(end);
		return {...server, end};
	};

	return {place, start};
}

test('a second server on the data of one that runs is refused, until that has ended', async () => {
	const {place, start} = await prepare();
	const first = await start();
	await expect(start()).rejects.toMatchObject({
		code: 'conflict',
		message: `Another server runs on the data in ${place.data}.`,
	});
	expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
	await first.end();
	expect((await fetch(`${(await start()).url}/healthz`)).status).toBe(200);
});

test('a user is made, and a member added, beside a server that runs', async () => {
	const {place, start} = await prepare();
	const {url} = await start();
	const made = await initializeData(place, {organization: 'acme', workspace: 'main', project: 'web', email: 'a@b.c'});
	await addToOrganization(place, {organization: 'acme', email: 'd@e.f', role: 'member'});
	const headers = {authorization: `Bearer ${made.apiKey.reveal()}`};
	expect((await fetch(`${url}/api/v1/user/preferences`, {headers})).status).toBe(200);
	expect((await stat(join(place.data, 'serving.lock'))).mode & 0o077).toBe(0);
});
