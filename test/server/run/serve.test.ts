import {mkdtemp, readdir, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {findTaskBubblewrap} from '../../../src/containment/containment.ts';
import {isUuid} from '../../../src/core/uuid.ts';
import {addToOrganization, initializeData, serve} from '../../../src/server/run/serve.ts';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const bubblewrap = await findTaskBubblewrap(process.env['PATH'] ?? '', []);
const reason = bubblewrap ? '' : ' (skipped: bubblewrap is missing or does not work here)';

/** Starts servers on one folder, which end after the test. */
async function prepare(parent = tmpdir()) {
	const home = await mkdtemp(join(parent, 'service-serve-'));
	onTestFinished(() => rm(home, {recursive: true, force: true}));
	const place = {env: {SERVICE_HOME: home, PATH: process.env['PATH']}, data: join(home, 'data')};
	const start = async (more: Partial<Parameters<typeof serve>[0]> = {}) => {
		const stopping = new AbortController();
		const server = await serve({
			...place,
			...more,
			host: undefined,
			port: 0,
			artifacts: undefined,
			storageLimit: 1e9,
			publicUrl: undefined,
			unsafeSandboxes: false,
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

test('a second server on the same data is rejected until the first one has ended', async () => {
	const {place, start} = await prepare();
	const first = await start();
	await expect(start()).rejects.toMatchObject({
		code: 'conflict',
		message: `Another server is using the data in ${place.data}.`,
	});
	expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
	await first.end();
	expect((await fetch(`${(await start()).url}/healthz`)).status).toBe(200);
});

test('the size of a pool is refused for SQLite, which has one connection', async () => {
	const {start} = await prepare();
	await expect(start({connections: 5})).rejects.toMatchObject({
		code: 'usage',
		message: '--pool is for PostgreSQL. SQLite has one connection.',
	});
	expect((await start()).engine).toBe('sqlite');
});

test.skipIf(!bubblewrap)(
	`[15] a sandbox sees neither the server’s data nor the administrator’s credentials${reason}`,
	async () => {
		const {place, start} = await prepare('/var/tmp');
		const {url, folder, end} = await start();
		const made = await initializeData(place, {organization: 'acme', workspace: 'main', project: 'web', email: 'a@b.c'});
		const home = place.env.SERVICE_HOME;
		await writeFile(join(home, 'credentials'), 'secret');
		const look = `cat ${home}/credentials || echo; ls ${folder}`;
		await addTask({folder}, 'look', {command: ['sh', '-c', look]});
		const headers = {authorization: `Bearer ${made.apiKey.reveal()}`, 'content-type': 'application/json'};
		const path = `${url}/api/v1/org/acme/ws/main/environments`;
		const answer = await fetch(path, {method: 'POST', headers, body: JSON.stringify({task_ref: 'look'})});
		const {id} = await answer.json();
		onTestFinished(async () => {
			// Its supervisor still writes after the command ended.
			await end();
			await createLocalProvider({root: join(folder, 'sandboxes'), graceMs: 100}).remove(id);
		});
		let logs = '';
		await eventually(async () => {
			({logs} = await (await fetch(`${path}/${id}/logs`, {headers})).json());
			return logs.includes('command ended');
		});
		expect(logs).toContain('credentials: No such file');
		expect(logs).not.toMatch(/secret|service\.db/);
	},
);

test('a user and a member are added while a server runs', async () => {
	const {place, start} = await prepare();
	const {url} = await start();
	const made = await initializeData(place, {organization: 'acme', workspace: 'main', project: 'web', email: 'a@b.c'});
	await addToOrganization(place, {organization: 'acme', email: 'd@e.f', role: 'member'});
	const headers = {authorization: `Bearer ${made.apiKey.reveal()}`};
	expect((await fetch(`${url}/api/v1/user/preferences`, {headers})).status).toBe(200);
	expect((await stat(join(place.data, 'serving.lock'))).mode & 0o077).toBe(0);
});

test.skipIf(!bubblewrap)(`a server that ends says how many sandboxes keep running${reason}`, async () => {
	const {place, start} = await prepare('/var/tmp');
	const {url, folder, ended, end} = await start();
	const made = await initializeData(place, {organization: 'acme', workspace: 'main', project: 'web', email: 'a@b.c'});
	const provider = createLocalProvider({root: join(folder, 'sandboxes'), graceMs: 100});
	await addTask({folder}, 'wait', {command: ['sleep', '20']});
	const headers = {authorization: `Bearer ${made.apiKey.reveal()}`, 'content-type': 'application/json'};
	const path = `${url}/api/v1/org/acme/ws/main/environments`;
	await fetch(path, {method: 'POST', headers, body: JSON.stringify({task_ref: 'wait'})});
	const running = (await readdir(join(folder, 'sandboxes'))).filter(isUuid);
	onTestFinished(() => Promise.all(running.map(id => provider.remove(id))).then(() => undefined));
	await end();
	expect([running.length, await ended]).toEqual([1, 1]);
});
