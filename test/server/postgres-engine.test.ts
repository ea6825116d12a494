import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {folderWith} from '../e2e/program.ts';
import {freePort} from '../free-port.ts';
import {emptyPlace} from './database/engine.ts';
import {nginx, startNginx} from './nginx.ts';
import {initializeProgram, startServeProgram} from './program.ts';
import {hasPodman, image, type Podman, podmanReason, startPodman} from './sandboxes/docker/podman.ts';
import {addTask, listener} from './sandboxes/task-folder.ts';

const isPossible = hasPodman && nginx !== undefined;
const reason = nginx ? podmanReason : ' (skipped: nginx is not installed)';
const ticking = {command: ['sh', '-c', 'cat kept; echo more > kept; while :; do echo tick; sleep 0.1; done']};

/** A data folder with a task for environments, and one for runtimes. */
async function folderWithTasks(): Promise<string> {
	const folder = folderWith();
	writeFileSync(join(folder, '.service-data'), '');
	await addTask({folder}, 'listens', {services: {web: {}}, memory_mb: 256}, {'main.mjs': listener});
	await addTask({folder}, 'ticks', {...ticking, memory_mb: 128}, {kept: 'new\n'});
	return folder;
}

/** Two processes of the shipped program on one database and one engine, behind nginx. */
async function openCluster(podman: Podman) {
	const place = await emptyPlace();
	const database = place.engine === 'postgres' ? place.url : '';
	const key = await initializeProgram(database);
	const port = await freePort();
	const publicUrl = `http://127.0.0.1:${port}`;
	const flags = ['--public-url', publicUrl, '--engine', `docker=unix://${podman.socket}`, '--image', image];
	const start = async () => startServeProgram(database, {data: await folderWithTasks(), flags});
	const servers = [await start(), await start()] as const;
	const upstream = servers.map(({url}) => `server ${new URL(url).host};`).join(' ');
	await startNginx(
		`upstream both { ${upstream} }
		server {
			listen 127.0.0.1:${port};
			location / { proxy_pass http://both; proxy_http_version 1.1; proxy_set_header Host $http_host; }
		}`,
		port,
	);
	const send = async (method: string, path: string, body?: unknown) => {
		const response = await fetch(`${publicUrl}/api/v1/org/acme/ws/main${path}`, {
			method,
			headers: {
				authorization: `Bearer ${key}`,
				...(body !== undefined && {'content-type': 'application/json'}),
			},
			...(body !== undefined && {body: JSON.stringify(body)}),
		});
		return {status: response.status, json: await response.json()};
	};
	return {servers, send};
}

describe.skipIf(!isPossible)(`two servers with an engine behind a balancer${reason}`, () => {
	let podman: Podman;
	beforeAll(async () => {
		podman = await startPodman();
	});
	afterAll(() => podman.close());

	test('each answers for each sandbox, also when the other is killed, and when the engine was away', async () => {
		const {servers, send} = await openCluster(podman);
		const made = await send('POST', '/environments', {task_ref: 'listens', timeout_sec: 600});
		expect(made.status).toBe(200);
		const {id, execute_token: token} = made.json;
		const stateOf = async () => (await send('GET', `/environments/${id}`)).json.state;
		await expect.poll(stateOf, {interval: 50}).toBe('ready');
		const web = (await send('GET', `/environments/${id}`)).json.service_urls.web.url;
		const open = async () => {
			const response = await fetch(web, {headers: {authorization: `Bearer ${token}`}});
			return [response.status, await response.text()];
		};
		const logOf = () => send('GET', `/environments/${id}/logs`);
		// Each of two requests in a row goes to another server.
		expect([await open(), await open()]).toEqual([
			[200, 'ok'],
			[200, 'ok'],
		]);
		for (const _ of servers) {
			await expect.poll(async () => (await logOf()).json.logs, {interval: 50}).toMatch(/listens\n(?:asked \/\n){2}$/);
		}

		await send('POST', '/runtimes', {key: 'dev', task_ref: 'ticks'});
		expect((await send('POST', '/runtimes/dev/resume')).json.status).toBe('running');

		await servers[0].kill();
		const after = [await open(), await open(), await logOf(), await logOf()].map(answer =>
			Array.isArray(answer) ? answer[0] : answer.status,
		);
		expect(after).toEqual([200, 200, 200, 200]);

		await podman.end();
		// What was collected of the log is in the database.
		expect((await logOf()).json.logs).toContain('listens\n');
		expect((await send('POST', `/environments/${id}/stop`)).status).toBe(502);
		await podman.begin();
		expect([await stateOf(), await open()]).toEqual(['ready', [200, 'ok']]);

		expect((await send('POST', '/runtimes/dev/stop')).json.status).toBe('idle');
		expect((await send('POST', '/runtimes/dev/resume')).json.status).toBe('running');
		for (const path of ['/runtimes/dev/stop', `/environments/${id}/stop`]) {
			expect((await send('POST', path)).status).toBe(200);
		}
	});
});
