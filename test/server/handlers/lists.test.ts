import {expect, test} from 'vitest';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {addWorkspace, populate} from '../populated.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const idsOf = ({json}: {readonly json: {readonly items: readonly {readonly id: string}[]}}) =>
	json.items.map(({id}) => id);

const addRuntime = (server: TestServer, body: Readonly<Record<string, unknown>>) =>
	server.send(`${inWorkspace}/runtimes`, {method: 'POST', body});

test('a member lists organizations, workspaces and projects without knowing any', async () => {
	const server = await createTestServer();
	await addWorkspace(server, 'side');
	await server.foundAnother();
	const {key} = await server.join('member');
	const organizations = await server.send('/api/v1/org', {key});
	expect(organizations.json).toMatchObject({items: [{slug: 'acme', name: 'acme', role: 'member'}], total: 1, page: 1});
	const workspaces = await server.send('/api/v1/org/acme/ws', {key});
	expect(workspaces.json.items.map(({slug}: {slug: string}) => slug)).toEqual(['main', 'side']);
	const projects = await server.send(`${inWorkspace}/projects`, {key});
	expect(projects.json).toMatchObject({items: [{slug: 'web', id: expect.stringMatching(/^[\da-f-]{36}$/)}], total: 1});
});

test('a list has pages, newest first, and the total number of entries', async () => {
	const server = await createTestServer();
	await addTask(server, 'quiet', {command: ['true']});
	const made: string[] = [];
	for (const key of ['one', 'two', 'three']) {
		server.advance(1000);
		made.unshift((await addRuntime(server, {key, task_ref: 'quiet'})).json.id);
	}

	const first = await server.send(`${inWorkspace}/runtimes?page_size=2`);
	const second = await server.send(`${inWorkspace}/runtimes?page_size=2&page=2`);
	expect([idsOf(first), idsOf(second)]).toEqual([made.slice(0, 2), made.slice(2)]);
	expect(second.json).toMatchObject({total: 3, page: 2, page_size: 2});
	expect((await server.send(`${inWorkspace}/runtimes?page=0`)).status).toBe(422);
});

test('a project filters a list by its slug or UUID, and an unknown one is 404', async () => {
	const server = await createTestServer();
	const {project, runId, sessionId} = await populate(server);
	await addRuntime(server, {key: 'elsewhere', task_ref: 'quiet'});
	for (const given of ['web', project, project.toUpperCase()]) {
		const lists = ['runtimes', 'sessions', 'workflows/runs', 'environments'].map(async list =>
			idsOf(await server.send(`${inWorkspace}/${list}?project=${given}`)),
		);
		const [runtimes, ...others] = await Promise.all(lists);
		expect([runtimes?.length, ...others]).toEqual([1, [sessionId], [runId], []]);
	}

	const {status, json} = await server.send(`${inWorkspace}/runtimes?project=nope`);
	expect([status, json.detail]).toEqual([404, 'Project not found in this workspace: “nope”.']);
});

test('[26] a session list omits other users’ private sessions, and a run list omits execution ids', async () => {
	const server = await createTestServer();
	const {runId, sessionId} = await populate(server);
	const {key} = await server.join('member');
	expect(idsOf(await server.send(`${inWorkspace}/sessions`, {key}))).toEqual([sessionId]);
	await server.database.updateTable('sessions').set({visibility: 'private'}).execute();
	expect(idsOf(await server.send(`${inWorkspace}/sessions`, {key}))).toEqual([]);
	expect(idsOf(await server.send(`${inWorkspace}/sessions`))).toEqual([sessionId]);

	const executionId = '9d9d9d9d-0000-4000-8000-0000000000ff';
	await server.database.updateTable('workflow_runs').set({execution_id: executionId}).execute();
	const runs = await server.send(`${inWorkspace}/workflows/runs`, {key});
	expect(runs.json.items).toMatchObject([{id: runId, title: 'Nightly audit', project_key: 'web'}]);
	expect(runs.text).not.toContain(executionId);
});

test.each([
	[{key: 'Big Box', task_ref: 'quiet'}, 422, 'body.key must be lower-case letters, digits and dashes'],
	[{key: '0b3ad4ff-0000-4000-8000-00000000cafe', task_ref: 'quiet'}, 422, 'body.key must be'],
	[{key: 'box', task_ref: 'a/b/c'}, 422, 'body.task_ref must be [org/]name[@version].'],
	[{key: 'box', task_ref: 'none'}, 404, 'No task “none”. This organization can use'],
	[{key: 'box', task_ref: 'asks'}, 422, 'body.task_ref needs inputs (city)'],
	[{key: 'box', task_ref: 'quiet', project_id: 'nope'}, 404, 'Project not found in this workspace: “nope”.'],
	[{key: 'box', task_ref: 'quiet', timeout_sec: 0}, 422, 'body.timeout_sec must be at least 1.'],
	[{key: 'taken', task_ref: 'quiet'}, 409, 'This workspace already has a runtime “taken”.'],
])('an invalid runtime is rejected with the reason (%#)', async (body, code, detail) => {
	const server = await createTestServer();
	await addTask(server, 'quiet', {command: ['true']});
	await addTask(server, 'asks', {inputs: {city: {type: 'string', required: true}}});
	await addRuntime(server, {key: 'taken', task_ref: 'quiet'});
	const {status, json} = await addRuntime(server, body);
	expect([status, json.detail]).toEqual([code, expect.stringContaining(detail)]);
	expect(await server.database.selectFrom('runtimes').select('key').execute()).toEqual([{key: 'taken'}]);
});
