import {expect, test} from 'vitest';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const path = `${inWorkspace}/environments`;
const sleeper = {command: ['sleep', '1000']};

const create = async (server: TestServer, key = server.owner.key) =>
	(await server.send(path, {method: 'POST', key, body: {task_ref: 'sleeper'}})).json.id as string;

const stop = (server: TestServer, id: string, key = server.owner.key) =>
	server.send(`${path}/${id}/stop`, {method: 'POST', key});

test('a stopped environment has no processes, frees its capacity, and can be stopped again', async () => {
	const server = await createTestServer();
	await addTask(server, 'sleeper', sleeper);
	await server.database.updateTable('organizations').set({sandbox_capacity: 1}).execute();
	const id = await create(server);
	const {sandbox_id} = await server.database.selectFrom('environments').select('sandbox_id').executeTakeFirstOrThrow();
	const stopped = await stop(server, id);
	expect([stopped.status, stopped.json]).toMatchObject([
		200,
		{id, state: 'torn_down', execute_token: null, expires_at: null},
	]);
	expect(await server.services.sandboxes.provider.inspect(sandbox_id ?? '')).toMatchObject({kind: 'ended'});

	expect((await stop(server, id.toUpperCase())).json).toEqual(stopped.json);
	expect((await server.send(`${path}/${id}`)).json).toEqual(stopped.json);
	await updateSandboxes(server.services);
	expect((await server.send(path)).json).toMatchObject({items: [{id, state: 'torn_down', expires_at: null}], total: 1});
	expect(await create(server)).not.toBe(id);
});

test('an environment stopped during its start ends as soon as it has started', async () => {
	const server = await createTestServer();
	await addTask(server, 'sleeper', sleeper);
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
	const asked = create(server);
	const rows = () => server.database.selectFrom('environments').select(['id', 'sandbox_id']).execute();
	await eventually(async () => (await rows()).length === 1);
	const [made] = await rows();
	expect((await stop(server, made?.id ?? '')).json.state).toBe('torn_down');
	begin();
	await asked;
	await server.services.sandboxes.background.close();
	expect(await provider.inspect(made?.sandbox_id ?? '')).toMatchObject({kind: 'ended'});
});

test('[26] another member may view an environment but not stop it', async () => {
	const server = await createTestServer();
	await addTask(server, 'sleeper', sleeper);
	const id = await create(server);
	const {key} = await server.join('member');
	expect((await server.send(`${path}/${id}`, {key})).json).toMatchObject({id, state: 'ready', execute_token: null});
	const {status, json} = await stop(server, id, key);
	expect([status, json.detail]).toEqual([
		403,
		'This environment is another member’s. Only they and admins can stop it.',
	]);
	expect((await server.send(`${path}/${id}`)).json.state).toBe('ready');
});
