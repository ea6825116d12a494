import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {grantCredits} from '../../../src/server/credits/account.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {endEnvironment} from '../../../src/server/sandboxes/environment-state.ts';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createSandboxing} from '../../../src/server/sandboxes/sandboxing.ts';
import {createTestServer, inWorkspace, send, type TestServer} from '../harness.ts';
import {observed} from './logged.ts';
import {balanceOf} from './machines.ts';
import {containmentHere, eventually, runs} from './sandbox.ts';
import {onEngine, simulateEngine} from './simulated.ts';
import {supervisor} from './supervisor.ts';
import {addTask, listener} from './task-folder.ts';

const minute = 60_000;

async function withEnvironment(program = listener) {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': program});
	const body = {task_ref: 'listens', timeout_sec: 600};
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body});
	const {sandbox_id} = await rowOf(server);
	const statusFile = join(server.folder, 'sandboxes', sandbox_id ?? '', 'status.json');
	// A busy machine may answer before the sandbox has started, and before its service is found to respond.
	await eventually(() => existsSync(statusFile) && readFileSync(statusFile, 'utf8').includes('"group"'));
	await eventually(async () => (await rowOf(server)).state === 'ready');
	const status = JSON.parse(readFileSync(statusFile, 'utf8'));
	return {server, environment: json, supervisor: status.supervisor.pid as number, group: status.group.pid as number};
}

const rowOf = ({database}: TestServer) => database.selectFrom('environments').selectAll().executeTakeFirstOrThrow();

const logOf = async (server: TestServer, id: string) => await server.send(`${inWorkspace}/environments/${id}/logs`);

/** The services of a restarted server with the same data. */
function restarted({services, folder}: TestServer): Services {
	const provider = createLocalProvider({
		root: join(folder, 'sandboxes'),
		graceMs: 300,
		environment: {},
		findContainment: containmentHere,
		supervisor,
		allowUncontained: true,
	});
	return {...services, sandboxes: createSandboxing({folder, log: services.log, provider})};
}

test('at its time limit an environment is torn down, and its log stays for a day', async () => {
	const {server, environment, supervisor, group} = await withEnvironment();
	await eventually(async () => (await logOf(server, environment.id)).json.logs.includes('listens'));
	server.advance(9 * minute);
	await updateSandboxes(server.services);
	expect([(await rowOf(server)).state, runs(group)]).toEqual(['ready', true]);

	server.advance(minute);
	await updateSandboxes(server.services);
	expect([(await rowOf(server)).state, runs(group), runs(supervisor)]).toEqual(['torn_down', false, false]);
	const sandbox = await server.database.selectFrom('sandboxes').select('state').executeTakeFirstOrThrow();
	expect(sandbox.state).toBe('killed');
	expect((await logOf(server, environment.id)).json.logs).toContain('listens\n[sandbox] stopped by the server\n');

	server.advance(25 * 60 * minute);
	await updateSandboxes(server.services);
	const gone = await logOf(server, environment.id);
	expect([gone.status, gone.json.detail]).toEqual([404, 'The log of this environment has expired.']);
});

test('a restarted server finds its sandboxes and manages them', async () => {
	const {server, environment, group} = await withEnvironment();
	const later = restarted(server);
	await updateSandboxes(later);
	expect([(await rowOf(server)).state, await (await fetch(environment.service_urls.web.url)).text()]).toEqual([
		'ready',
		'ok',
	]);
	server.advance(10 * minute);
	await Promise.all([updateSandboxes(later), updateSandboxes(server.services)]);
	expect([(await rowOf(server)).state, runs(group)]).toEqual(['torn_down', false]);
});

test('a sandbox that died while no server ran is a failure, and what it left is ended', async () => {
	const {server, environment, supervisor, group} = await withEnvironment();
	process.kill(supervisor, 'SIGKILL');
	await eventually(() => !runs(supervisor));
	await updateSandboxes(restarted(server));
	await eventually(() => !runs(group));
	const {state, error} = await rowOf(server);
	expect([state, error]).toEqual(['failed', 'Its sandbox ended unexpectedly.']);
	expect((await logOf(server, environment.id)).json.logs).toMatch(/\n\[server\] Its sandbox ended unexpectedly\.\n$/);
});

test('an environment whose server ended before its sandbox started fails after a while', async () => {
	const {server} = await withEnvironment();
	const {sandbox_id} = await rowOf(server);
	await server.services.sandboxes.provider.remove(sandbox_id ?? '');
	await server.database.updateTable('environments').set({state: 'building'}).execute();
	await updateSandboxes(server.services);
	expect((await rowOf(server)).state).toBe('building');
	server.advance(2 * minute);
	await updateSandboxes(server.services);
	expect((await rowOf(server)).state).toBe('failed');
});

test('services that never respond are a failure after a while, and the response does not wait for them', async () => {
	const server = await createTestServer();
	const policy = {...server.services.sandboxes.policy, startTimeoutMs: 200};
	Object.assign(server.services, {sandboxes: {...server.services.sandboxes, policy}});
	await addTask(server, 'silent', {services: {web: {}}, command: ['sleep', '1000']});
	const body = {task_ref: 'silent'};
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body});
	expect(['building', 'provisioning']).toContain(json.state);
	expect(json.service_urls.web.url).toMatch(/^http:/);
	await eventually(async () => (await rowOf(server)).state === 'provisioning');
	server.advance(3 * minute);
	await eventually(async () => (await rowOf(server)).state === 'failed');
	expect((await rowOf(server)).error).toBe('Its services did not respond within 120 s.');
});

test('an environment that starts locks its organization once, to be admitted, so that many that start don’t wait for each other', async () => {
	const server = await createTestServer();
	await addTask(server, 'runs', {});
	let locks = 0;
	const database = observed(server.database, (table, kind) => {
		locks += table === 'organizations' && kind === 'UpdateQueryNode' ? 1 : 0;
	});
	const app = createApp({services: {...onEngine(server, simulateEngine()), database}});
	const body = {task_ref: 'runs', timeout_sec: 600};
	const made = await send(app, `${inWorkspace}/environments`, {method: 'POST', key: server.owner.key, body});
	expect(made.status).toBe(200);
	await eventually(async () => (await rowOf(server)).state === 'ready');
	expect(locks).toBe(1);
});

test('an end that waits to be stored, while others charge, is paid until it ended', async () => {
	const server = await createTestServer();
	await addTask(server, 'runs', {});
	const {id: organizationId} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const gift = {organizationId, amount: 100, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, gift));
	const services = onEngine(server, simulateEngine());
	const app = createApp({services});
	const body = {task_ref: 'runs', timeout_sec: 600};
	const made = await send(app, `${inWorkspace}/environments`, {method: 'POST', key: server.owner.key, body});
	await eventually(async () => (await rowOf(server)).state === 'ready');
	server.advance(165_000);
	const endedAt = services.now();
	server.advance(20_000);
	await updateSandboxes(services);
	expect(await balanceOf(server)).toBe(96);
	await endEnvironment({...services, now: () => endedAt}, made.json.id);
	const sandbox = await server.database.selectFrom('sandboxes').selectAll().executeTakeFirstOrThrow();
	expect([sandbox.past_seconds, sandbox.billed_credits, await balanceOf(server)]).toEqual([165, 3, 97]);
	const {rows} = await sql<{sum: number}>`select sum(amount) as sum from credit_entries`.execute(server.database);
	expect(Number(rows[0]?.sum)).toBe(97);
});
