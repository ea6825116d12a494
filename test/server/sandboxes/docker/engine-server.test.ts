import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {initializeData, serve} from '../../../../src/server/run/serve.ts';
import {endOrphans} from '../../../../src/server/sandboxes/orphans.ts';
import {createSandboxing} from '../../../../src/server/sandboxes/sandboxing.ts';
import {createTestServer, inWorkspace, scope} from '../../harness.ts';
import {eventually} from '../sandbox.ts';
import {addTask, listener} from '../task-folder.ts';
import {engineSandboxes, hasPodman, image, type Podman, podmanReason, startPodman} from './podman.ts';

describe.skipIf(!hasPodman)(`a server with an engine${podmanReason}`, () => {
	let podman: Podman;
	beforeAll(async () => {
		podman = await startPodman();
	});
	afterAll(() => podman.close());

	test('environments and runtimes run there, and outlive the server and the engine’s API', async () => {
		const home = await mkdtemp(join(tmpdir(), 'service-engine-'));
		onTestFinished(() => rm(home, {recursive: true, force: true}));
		const place = {env: {SERVICE_HOME: home, PATH: process.env['PATH']}, data: join(home, 'data')};
		const {apiKey} = await initializeData(place, {
			organization: scope.org,
			workspace: scope.workspace,
			project: scope.project,
			email: 'ada@acme.example',
		});
		const start = async () => {
			const stopping = new AbortController();
			const server = await serve({
				...place,
				host: undefined,
				port: 0,
				artifacts: undefined,
				storageLimit: 1e9,
				publicUrl: undefined,
				engine: `docker=unix://${podman.socket}`,
				image,
				unsafeSandboxes: false,
				demo: false,
				logLevel: 'error',
				writeLog: () => undefined,
				signal: stopping.signal,
			});
			const end = async () => {
				stopping.abort();
				return await server.ended;
			};
			onTestFinished(async () => void (await end()));
			const send = async (method: string, path: string, body?: unknown) => {
				const response = await fetch(`${server.url}${inWorkspace}${path}`, {
					method,
					headers: {
						authorization: `Bearer ${apiKey.reveal()}`,
						...(body !== undefined && {'content-type': 'application/json'}),
					},
					...(body !== undefined && {body: JSON.stringify(body)}),
				});
				return {status: response.status, json: (await response.json()) as Record<string, string>};
			};
			return {server, end, send};
		};
		const {server, end, send} = await start();
		expect(server.sandboxes).toMatch(/^Podman \S+ at unix:.*podman\.sock, localhost\/service-test:1$/);
		const builds = {build: [['sh', '-c', 'echo building']], services: {web: {}}, memory_mb: 256};
		await addTask({folder: place.data}, 'listens', builds, {'main.mjs': listener});
		await addTask(
			{folder: place.data},
			'ticks',
			{command: ['sh', '-c', 'cat kept; echo more > kept; while :; do echo tick; sleep 0.1; done'], memory_mb: 128},
			{kept: 'new\n'},
		);
		await addTask({folder: place.data}, 'elsewhere', {image: 'localhost/nothing:1'});
		await addTask({folder: place.data}, 'only', {network: 'open'});

		const refused = await send('POST', '/environments', {task_ref: 'only'});
		expect([refused.status, refused.json['detail']]).toEqual([409, expect.stringContaining('--open-network')]);
		const missing = await send('POST', '/environments', {task_ref: 'elsewhere'});
		const stateOf = async (id = '') => (await send('GET', `/environments/${id}`)).json['state'];
		await eventually(async () => (await stateOf(missing.json['id'])) === 'failed');
		expect((await send('GET', `/environments/${missing.json['id']}`)).json['error']).toBe(
			'Docker has no image “localhost/nothing:1”. Pull it there, or name another one.',
		);

		const {json: environment} = await send('POST', '/environments', {task_ref: 'listens'});
		const {id = ''} = environment;
		await eventually(async () => (await stateOf(id)) === 'ready');
		const logOf = async () => (await send('GET', `/environments/${id}/logs`)).json['logs'];
		await eventually(async () =>
			/building\n\[sandbox\] build step 1 ended with status 0\nlistens\n$/.test((await logOf()) ?? ''),
		);

		await send('POST', '/runtimes', {key: 'dev', task_ref: 'ticks'});
		const resumed = await send('POST', '/runtimes/dev/resume');
		expect([resumed.status, resumed.json['status']]).toEqual([200, 'running']);

		await podman.end();
		// What was collected of the log is in the database.
		expect(await logOf()).toMatch(/listens\n$/);
		const away = await send('POST', `/environments/${id}/stop`);
		expect([away.status, away.json['detail']]).toEqual([
			502,
			expect.stringMatching(/^Docker’s API at unix:.* doesn’t answer/),
		]);
		await podman.begin();
		expect([await stateOf(id), (await logOf())?.includes('listens\n')]).toEqual(['ready', true]);

		expect(await end()).toBe(2);
		const again = await start();
		const stopped = await again.send('POST', '/runtimes/dev/stop');
		expect([stopped.status, stopped.json['status']]).toEqual([200, 'idle']);
		expect((await again.send('POST', '/runtimes/dev/resume')).json['status']).toBe('running');
		const {provider, log} = engineSandboxes(podman.socket);
		await eventually(async () => {
			const live = (await provider.list()).filter(({hasEnded}) => !hasEnded);
			const logs = await Promise.all(live.map(({id: each}) => log(each)));
			return logs.some(text => text.includes('\nmore\ntick\n'));
		});
		expect((await again.send('POST', '/runtimes/dev/stop')).status).toBe(200);
	});

	test('what the database has ended or lost is ended, and sandboxes of other installations are left alone', async () => {
		const server = await createTestServer();
		const {provider, shell, log} = engineSandboxes(podman.socket, {diskBytes: 4 * 1024 ** 2});
		const services = {
			...server.services,
			sandboxes: createSandboxing({folder: server.folder, log: server.services.log, provider}),
		};
		const {id: organization} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
		const forever = 'exec sleep 1000';
		const [lost, foreign, killed, full, small] = [
			await shell(forever, {organization}),
			await shell(forever, {organization: randomUUID()}),
			await shell(forever, {organization}),
			await shell('dd if=/dev/zero of=big bs=1048576 count=5; echo filled; exec sleep 1000', {organization}),
			await shell('dd if=/dev/zero of=small bs=1048576 count=3; echo filled; exec sleep 1000', {organization}),
		];
		await eventually(async () => [await log(full), await log(small)].every(text => text.includes('filled\n')));
		const at = server.services.now().toISOString();
		const machine = await provider.machine();
		const rows = [[killed, 'killed'] as const, ...[full, small].map(id => [id, 'running'] as const)];
		for (const [id, state] of rows) {
			await server.database
				.insertInto('sandboxes')
				.values({
					...{id, organization_id: organization, created_by: server.owner.id, provider: 'docker'},
					...{provider_sandbox_id: id, machine, state, sandbox_url: null, limited_by: null},
					...{past_seconds: 0, running_since: null, billed_credits: 0, billed_before_start: null},
					...{startup_timing: '{}', created_at: at, expires_at: at},
				})
				.execute();
		}

		await endOrphans(services);
		const kinds = [lost, foreign, killed, full, small].map(async id => (await provider.inspect(id)).kind);
		expect(await Promise.all(kinds)).toEqual(['gone', 'running', 'ended', 'ended', 'running']);
		expect(await log(full)).toMatch(/\[server\] it used more disk than it may, so it was ended\n$/);
	});
});
