import {expect, test} from 'vitest';
import {runtimeSchema} from '../../../src/contract/resources/runtime.ts';
import {createRuntime, type NewRuntime} from '../../../src/server/sandboxes/create-runtime.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {addTask, listener} from '../sandboxes/task-folder.ts';

const minute = 60_000;

/** Creates a server with the owner's runtime `dev`, which was never started. */
async function withRuntime(more: Partial<NewRuntime> = {}) {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {id: workspaceId, organization_id: organizationId} = await server.database
		.selectFrom('workspaces')
		.selectAll()
		.executeTakeFirstOrThrow();
	const project = await server.database.selectFrom('projects').select('id').executeTakeFirstOrThrow();
	const id = await createRuntime(server.services, {
		...{organizationId, workspaceId, projectId: project.id, createdBy: server.owner.id},
		...{key: 'dev', name: 'Development', taskReference: 'listens', ...more},
	});
	return {server, id, organizationId, projectId: project.id, workspaceId};
}

const resume = (server: TestServer, runtime = 'dev', key = server.owner.key) =>
	server.send(`${inWorkspace}/runtimes/${runtime}/resume`, {method: 'POST', key});

const sandboxesOf = ({database}: TestServer) => database.selectFrom('sandboxes').selectAll().execute();

test('a runtime resumes by key or UUID, once however often it is requested, and returns all fields', async () => {
	const {server, id, projectId, workspaceId} = await withRuntime();
	const first = await resume(server);
	const [sandbox] = await sandboxesOf(server);
	expect([first.status, runtimeSchema.parse(first.json)]).toEqual([
		200,
		{
			id,
			key: 'dev',
			name: 'Development',
			description: null,
			config_digest: expect.stringMatching(/^sha256:[\da-f]{64}$/),
			config_version: '1',
			created_at: '2026-03-01T12:00:00.000Z',
			updated_at: '2026-03-01T12:00:00.000Z',
			created_by: server.owner.id,
			owned_by_me: true,
			project_id: projectId,
			project_key: 'web',
			project_name: expect.any(String),
			workspace_id: workspaceId,
			status: 'running',
			task_ref: 'listens',
			instance: {
				sandbox_id: sandbox?.id,
				provider: 'local',
				provider_sandbox_id: sandbox?.id,
				state: 'running',
				created_at: '2026-03-01T12:00:00.000Z',
				expires_at: '2026-03-01T13:00:00.000Z',
				pause_reason: null,
				sandbox_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
				startup_timing: {start_ms: expect.any(Number)},
				supports_pause: true,
				total_runtime_seconds: 0,
				actual_runtime_limit_seconds: 3600,
				configured_runtime_limit_seconds: 86_400,
				configured_runtime_limit_source_level: 'l1_platform_max',
				requested_runtime_limit_seconds: 3600,
				requested_runtime_limit_source_level: 'l1_platform_default',
				billed_credits: 1,
				running_credits: 0,
				estimated_total_credits: 60,
				runtime_limited_by_credits: false,
			},
		},
	]);
	const again = await resume(server, id.toUpperCase());
	expect([again.status, again.json.instance.sandbox_id, (await sandboxesOf(server)).length]).toEqual([
		200,
		sandbox?.id,
		1,
	]);
});

test('two concurrent resumes start one sandbox', async () => {
	const {server} = await withRuntime();
	const answers = await Promise.all([1, 2, 3].map(() => resume(server)));
	expect(answers.map(({status}) => status)).toEqual([200, 200, 200]);
	const ids = answers.map(({json}) => json.instance.sandbox_id);
	expect([new Set(ids).size, (await sandboxesOf(server)).length]).toEqual([1, 1]);
});

test('at its time limit a runtime is paused, and it continues in the same sandbox', async () => {
	const {server} = await withRuntime({requestedSeconds: 600});
	const {json} = await resume(server);
	expect(json.instance.requested_runtime_limit_source_level).toBe('l4_requested');
	server.advance(10 * minute);
	await updateSandboxes(server.services);
	const [paused] = await sandboxesOf(server);
	const provider = server.services.sandboxes.provider;
	expect([paused?.state, paused?.pause_reason, paused?.past_seconds, paused?.billed_credits]).toEqual([
		'paused',
		'timeout',
		600,
		10,
	]);
	expect(await provider.inspect(paused?.id ?? '')).toEqual({kind: 'paused'});

	server.advance(60 * minute);
	const resumed = await resume(server);
	expect(resumed.json).toMatchObject({
		status: 'running',
		instance: {
			sandbox_id: paused?.id,
			state: 'running',
			pause_reason: null,
			total_runtime_seconds: 600,
			billed_credits: 11,
			estimated_total_credits: 20,
			expires_at: '2026-03-01T13:20:00.000Z',
		},
	});
	expect(await (await fetch(resumed.json.instance.sandbox_url)).text()).toBe('ok');
});

test('a sandbox that its provider cannot pause ends at its time limit', async () => {
	const {server} = await withRuntime();
	const provider = {...server.services.sandboxes.provider, supportsPause: false};
	Object.assign(server.services, {sandboxes: {...server.services.sandboxes, provider}});
	const {json} = await resume(server);
	expect(json.instance.supports_pause).toBe(false);
	server.advance(60 * minute);
	await updateSandboxes(server.services);
	expect(await sandboxesOf(server)).toMatchObject([{state: 'killed', pause_reason: 'timeout'}]);
	const again = await resume(server);
	expect([again.status, again.json.instance.sandbox_id === json.instance.sandbox_id]).toEqual([200, false]);
});

test('a runtime whose program ended is idle, and starts again in its workspace', async () => {
	const {server} = await withRuntime({taskReference: 'counts'});
	const main =
		'import {appendFileSync, readFileSync} from "node:fs"; appendFileSync("count", "x"); console.log(readFileSync("count", "utf8"));';
	await addTask(server, 'counts', {}, {'main.mjs': main});
	const provider = server.services.sandboxes.provider;
	const first = (await resume(server)).json.instance.sandbox_id;
	await expect.poll(async () => (await provider.inspect(first)).kind).toBe('ended');
	const second = await resume(server);
	expect([second.json.status, second.json.instance.sandbox_id === first]).toEqual(['running', false]);
	const id = second.json.instance.sandbox_id;
	await expect.poll(async () => (await provider.readLog(id, {}))?.text).toContain('\nxx\n');
});

test('a runtime that its supervisor paused while no server ran is paused, and costs nothing after its deadline', async () => {
	const {server} = await withRuntime();
	const {json} = await resume(server);
	await server.services.sandboxes.provider.pause(json.instance.sandbox_id);
	await updateSandboxes(server.services);
	expect((await sandboxesOf(server))[0]?.state).toBe('running');
	server.advance(24 * 60 * minute);
	await updateSandboxes(server.services);
	expect(await sandboxesOf(server)).toMatchObject([
		{state: 'paused', pause_reason: 'timeout', past_seconds: 3600, billed_credits: 60},
	]);
});

test('[26] only the owner resumes a runtime, and users outside the workspace cannot tell that it exists', async () => {
	const {server, id} = await withRuntime();
	const admin = await server.join('admin');
	const stranger = await server.foundAnother('rival');
	expect((await resume(server, 'dev', admin.key)).status).toBe(403);
	expect((await resume(server, id, stranger.key)).status).toBe(404);
	expect((await resume(server, 'nothing')).status).toBe(404);
	const theirs = `/api/v1/org/rival/ws/main/runtimes/${id}/resume`;
	expect((await server.send(theirs, {method: 'POST', key: stranger.key})).status).toBe(404);
	expect(await sandboxesOf(server)).toEqual([]);
});

test('a missing task is 409, a sandbox that cannot start is 502, and the idle runtime can be retried', async () => {
	const {server} = await withRuntime({taskReference: 'later'});
	const missing = await resume(server);
	expect([missing.status, missing.json.type]).toEqual([409, 'task_error']);
	const {provider} = server.services.sandboxes;
	const broken = {...provider, start: () => Promise.reject(new Error('no room'))};
	await addTask(server, 'later', {services: {web: {}}}, {'main.mjs': listener});
	const before = server.services.sandboxes;
	Object.assign(server.services, {sandboxes: {...before, provider: broken}});
	const failed = await resume(server);
	expect([failed.status, failed.json.type, await sandboxesOf(server)]).toMatchObject([
		502,
		'sandbox_provider_error',
		[{state: 'killed'}],
	]);
	Object.assign(server.services, {sandboxes: before});
	expect((await resume(server)).json.status).toBe('running');
});
