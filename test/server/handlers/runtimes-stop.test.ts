import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const path = `${inWorkspace}/runtimes`;

/** Creates a server with the owner's runtime `dev`, whose program notes each start in its workspace. */
async function withRuntime() {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sh', '-c', 'printf x >>starts; exec sleep 1000']});
	const {json} = await server.send(path, {method: 'POST', body: {key: 'dev', task_ref: 'sleeper'}});
	const starts = join(server.folder, 'workspaces', json.id, 'starts');
	return {server, id: json.id as string, hasStarted: () => existsSync(starts)};
}

const act = (server: TestServer, verb: 'resume' | 'stop', runtime = 'dev', key = server.owner.key) =>
	server.send(`${path}/${runtime}/${verb}`, {method: 'POST', key});

const sandboxesOf = ({database}: TestServer) => database.selectFrom('sandboxes').selectAll().execute();

test('a stopped runtime has no processes, keeps its files, can be stopped again and resumed', async () => {
	const {server, id, hasStarted} = await withRuntime();
	await act(server, 'resume');
	await eventually(hasStarted);
	const stopped = await act(server, 'stop');
	expect([stopped.status, stopped.json]).toMatchObject([200, {id, status: 'idle'}]);
	const [sandbox] = await sandboxesOf(server);
	expect(await server.services.sandboxes.provider.inspect(sandbox?.id ?? '')).toMatchObject({kind: 'ended'});
	expect([sandbox?.state, hasStarted()]).toEqual(['killed', true]);

	expect((await act(server, 'stop', id.toUpperCase())).json).toEqual(stopped.json);
	await updateSandboxes(server.services);
	expect((await act(server, 'resume')).json).toMatchObject({status: 'running'});
});

test('a paused runtime uses capacity until it is stopped', async () => {
	const {server} = await withRuntime();
	await server.database.updateTable('organizations').set({sandbox_capacity: 1}).execute();
	const {json} = await act(server, 'resume');
	server.advance(24 * 3_600_000);
	await updateSandboxes(server.services);
	expect(await sandboxesOf(server)).toMatchObject([{state: 'paused'}]);
	const create = () => server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref: 'sleeper'}});
	expect((await create()).json).toMatchObject({code: 409, type: 'org_sandbox_capacity_exceeded_error'});

	expect((await act(server, 'stop')).json.status).toBe('idle');
	expect(await server.services.sandboxes.provider.inspect(json.instance.sandbox_id)).toMatchObject({kind: 'ended'});
	expect((await create()).status).toBe(200);
});

test('a runtime stopped during its start ends as soon as it has started', async () => {
	const {server} = await withRuntime();
	const {provider} = server.services.sandboxes;
	const {start} = provider;
	let begin = () => {};
	const mayStart = new Promise<void>(resolve => {
		begin = resolve;
	});
	Object.assign(provider, {
		async start(spec: Parameters<typeof start>[0]) {
			await mayStart;
			await start(spec);
		},
	});
	const asked = act(server, 'resume');
	await eventually(async () => (await sandboxesOf(server)).length === 1);
	const [sandbox] = await sandboxesOf(server);
	expect((await act(server, 'stop')).json.status).toBe('idle');
	begin();
	expect((await asked).json.status).toBe('idle');
	expect(await provider.inspect(sandbox?.id ?? '')).toMatchObject({kind: 'ended'});
});

test('[26] another member may view a runtime but not stop it', async () => {
	const {server} = await withRuntime();
	await act(server, 'resume');
	const {key} = await server.join('member');
	const {status, json} = await act(server, 'stop', 'dev', key);
	expect([status, json.detail]).toEqual([
		403,
		'The runtime “dev” belongs to another user. Only they and admins can stop it.',
	]);
	expect((await server.send(`${path}/dev`, {key})).json.status).toBe('running');
	const admin = await server.join('admin');
	expect((await act(server, 'stop', 'dev', admin.key)).json.status).toBe('idle');
});
