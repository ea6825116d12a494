import {expect, test} from 'vitest';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import type {MachineRoom} from '../../../src/server/sandboxes/machine-room.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {createEnvironment, resume, serverWithRuntime} from './machines.ts';
import {onEngine, simulateEngine} from './simulated.ts';
import {addTask} from './task-folder.ts';

/** Gives a server a simulated engine with room for this much. */
async function limit(server: TestServer, room: MachineRoom) {
	const {sandboxes} = onEngine(server, simulateEngine());
	Object.assign(server.services, {sandboxes: {...sandboxes, room}});
	await createMachineLease(server.services).renew();
}

const full = (detail: string) => ({
	status: 409,
	json: {code: 409, type: 'sandbox_provider_rate_limit_error', detail},
});

test('a machine runs no more sandboxes than --sandboxes, whichever organization asks', async () => {
	const {server} = await serverWithRuntime();
	await limit(server, {sandboxes: 2});
	const rival = await server.foundAnother();
	const asked = await Promise.all(
		Array.from({length: 6}, (_, index) =>
			index % 2 === 0
				? createEnvironment(server)
				: server.send('/api/v1/org/rival/ws/main/environments', {
						...{method: 'POST', key: rival.key, body: {task_ref: 'sleeper'}},
					}),
		),
	);
	expect(asked.map(({status}) => status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
	const words = full(
		'This server runs 2 of 2 sandboxes, of all organizations. Wait for a sandbox to end, or ask its administrator for more.',
	);
	expect(asked.find(({status}) => status === 409)).toMatchObject(words);
	expect(await resume(server)).toMatchObject(words);
});

test('a paused sandbox keeps its room, and continues in it', async () => {
	const {server} = await serverWithRuntime();
	await limit(server, {sandboxes: 1});
	expect((await resume(server)).status).toBe(200);
	server.advance(121_000);
	await updateSandboxes(server.services);
	expect((await server.send(`${inWorkspace}/runtimes/dev`)).json.instance.state).toBe('paused');
	expect((await createEnvironment(server)).status).toBe(409);
	expect((await resume(server)).json.status).toBe('running');
});

test('the memory of all sandboxes together has a limit, which those of each task count in', async () => {
	const {server} = await serverWithRuntime();
	await addTask(server, 'small', {command: ['sleep', '1000'], memory_mb: 1024});
	await limit(server, {memoryBytes: 6 * 1024 ** 3});
	const create = (task_ref: string) => server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref}});
	expect([(await create('sleeper')).status, (await create('small')).status]).toEqual([200, 200]);
	expect(await create('sleeper')).toMatchObject(
		full(
			'This server has 1,024 MB of memory left for sandboxes, and this one needs 4,096 MB. Wait for a sandbox to end, or ask its administrator for more.',
		),
	);
	expect((await resume(server)).status).toBe(409);
	expect((await create('small')).status).toBe(200);
	expect((await create('small')).status).toBe(409);
});

test('without a limit, nothing is counted', async () => {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	await limit(server, {});
	expect((await createEnvironment(server)).status).toBe(200);
});
