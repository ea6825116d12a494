import {randomUUID} from 'node:crypto';
import {setTimeout} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {isForeignWrite, loadOwners} from '../../../src/server/ingest/run-ownership.ts';
import {lockWorkspaces} from '../../../src/server/ingest/target.ts';
import {createTestServer, inWorkspace, scope, type TestServer} from '../harness.ts';
import {push} from '../ingest/push.ts';
import {findProjectOf} from '../rows.ts';

type Status = 'pending' | 'running' | 'completed' | 'failed';

const claim = (server: TestServer, runId: string, body: object = {}, key = server.owner.key) =>
	server.send(`${inWorkspace}/workflows/runs/${runId}/claim`, {method: 'POST', body, key});

async function addRun({database}: TestServer, status: Status = 'pending', organization: string = scope.org) {
	const id = randomUUID();
	const {organizationId, workspaceId, projectId} = await findProjectOf(database, organization);
	const at = '2026-03-01T12:00:00.000Z';
	await database
		.insertInto('workflow_runs')
		.values({
			id,
			organization_id: organizationId,
			workspace_id: workspaceId,
			project_id: projectId,
			title: null,
			status,
			execution_id: null,
			runtime_id: null,
			claimed_by: null,
			claimed_at: null,
			created_at: at,
			updated_at: at,
		})
		.execute();
	return id;
}

async function addRuntime({database}: TestServer, userId: string, organization: string = scope.org) {
	const id = randomUUID();
	const {organizationId, workspaceId, projectId} = await findProjectOf(database, organization);
	await database
		.insertInto('runtimes')
		.values({
			id,
			organization_id: organizationId,
			workspace_id: workspaceId,
			project_id: projectId,
			key: id,
			name: 'Box',
			description: null,
			config_digest: 'sha256:0',
			config_version: '1',
			created_by: userId,
			status: 'idle',
			requested_seconds: null,
			task_ref: 'web-shop',
			sandbox_id: null,
			created_at: '2026-03-01T12:00:00.000Z',
			updated_at: '2026-03-01T12:00:00.000Z',
		})
		.execute();
	return id;
}

test('a claimed run is running, and the same attempt gets the same response again', async () => {
	const server = await createTestServer();
	const runId = await addRun(server);
	const body = {execution_id: randomUUID(), runtime_id: await addRuntime(server, server.owner.id)};
	const first = await claim(server, runId.toUpperCase(), body);
	expect([first.status, first.json]).toEqual([
		200,
		{execution_id: body.execution_id, run_id: runId, status: 'running'},
	]);
	server.advance(1000);
	const again = await claim(server, runId, body);
	expect([again.status, again.json]).toEqual([200, first.json]);

	const row = await server.database.selectFrom('workflow_runs').selectAll().executeTakeFirstOrThrow();
	expect(row).toMatchObject({
		status: 'running',
		...body,
		claimed_by: server.owner.id,
		claimed_at: '2026-03-01T12:00:00.000Z',
	});
});

test('an attempt without an execution id gets one', async () => {
	const server = await createTestServer();
	const {json} = await claim(server, await addRun(server));
	expect(json.execution_id).toMatch(/^[\da-f]{8}-/);
});

test('of twenty concurrent claims one wins, and the others get a conflict', async () => {
	const server = await createTestServer();
	const runId = await addRun(server);
	const attempts = Array.from({length: 20}, () => ({execution_id: randomUUID()}));
	const answers = await Promise.all(attempts.map(body => claim(server, runId, body)));
	expect(answers.map(({status}) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
	const winner = answers.find(({status}) => status === 200)?.json.execution_id;
	const {execution_id} = await server.database.selectFrom('workflow_runs').selectAll().executeTakeFirstOrThrow();
	expect(winner).toBe(execution_id);
});

test('a claim waits for spans being ingested, which write back what they have read', async () => {
	const server = await createTestServer();
	const runId = randomUUID();
	const attributes = {'service.workflow.run.id': runId, 'service.workflow.run.status': 'pending'};
	await push(server, [{id: '1', attributes}]);
	const {workspaceId} = await findProjectOf(server.database);
	const claiming = await server.database.transaction().execute(async transaction => {
		await lockWorkspaces(transaction, [workspaceId]);
		const {status} = await transaction.selectFrom('workflow_runs').select('status').executeTakeFirstOrThrow();
		const answer = claim(server, runId);
		await Promise.race([answer, setTimeout(40)]);
		await transaction.updateTable('workflow_runs').set({status}).execute();
		return {answer};
	});
	expect((await claiming.answer).status).toBe(200);
	const {status} = await server.database.selectFrom('workflow_runs').select('status').executeTakeFirstOrThrow();
	expect([status, (await claim(server, runId)).status]).toEqual(['running', 409]);
});

test('another execution, user or runtime is not the same attempt', async () => {
	const server = await createTestServer();
	const runId = await addRun(server);
	const execution_id = randomUUID();
	await claim(server, runId, {execution_id});
	const {key} = await server.join('admin');
	const runtime_id = await addRuntime(server, server.owner.id);
	const answers = [
		await claim(server, runId),
		await claim(server, runId, {execution_id: randomUUID()}),
		await claim(server, runId, {execution_id}, key),
		await claim(server, runId, {execution_id, runtime_id}),
	];
	expect(answers.map(({json}) => json)).toEqual(
		Array(4).fill({code: 409, detail: 'Another attempt has claimed the run.', type: 'conflict_error'}),
	);
});

test('only a pending run can be claimed', async () => {
	const server = await createTestServer();
	for (const status of ['running', 'completed', 'failed'] as const) {
		const {json} = await claim(server, await addRun(server, status));
		const detail = `The run is already ${status}; only a pending run can be claimed.`;
		expect(json).toEqual({code: 409, detail, type: 'conflict_error'});
	}
});

test('runs and runtimes of others are not found, and the run stays pending', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const member = await server.join('member');
	const runId = await addRun(server);
	const theirRun = await addRun(server, 'pending', 'rival');
	const answers = [
		await claim(server, theirRun),
		await claim(server, randomUUID()),
		await claim(server, runId, {}, rival.key),
		await claim(server, runId, {runtime_id: randomUUID()}),
		await claim(server, runId, {runtime_id: await addRuntime(server, member.id)}),
		await claim(server, runId, {runtime_id: await addRuntime(server, server.owner.id, 'rival')}),
	];
	expect(new Set(answers.map(({status, text}) => `${status} ${text}`)).size).toBe(1);
	expect(answers[0]?.status).toBe(404);
	const rows = await server.database.selectFrom('workflow_runs').select(['status', 'execution_id']).execute();
	expect(rows).toEqual(Array(2).fill({status: 'pending', execution_id: null}));
});

test('a claim rejects writes by other executions, and nothing else', async () => {
	const server = await createTestServer();
	const [claimed, free] = [await addRun(server), await addRun(server)];
	const {execution_id} = (await claim(server, claimed)).json;
	const {workspaceId} = await findProjectOf(server.database);
	const owners = await loadOwners(server.database, workspaceId, [claimed, free]);
	const userId = server.owner.id;
	expect([...owners]).toEqual([[claimed, {executionId: execution_id, userId}]]);
	const another = randomUUID();
	const isRefused = (run: string, executionId: string | undefined, writer = userId) =>
		isForeignWrite(owners.get(run), {executionId, userId: writer});
	expect([execution_id, another, undefined].map(id => isRefused(claimed, id))).toEqual([false, true, false]);
	expect(isRefused(claimed, undefined, randomUUID())).toBe(true);
	expect([another, undefined].map(id => isRefused(free, id, randomUUID()))).toEqual([false, false]);
});

test('a host that lost the run cannot write to it any more', async () => {
	const server = await createTestServer();
	const run = await addRun(server);
	const {execution_id} = (await claim(server, run)).json;
	const note = (id: string, execution?: string) => ({
		id,
		attributes: {
			'service.workflow.run.id': run,
			'service.item.type': 'notes',
			'service.item.data': {text: id},
			...(execution !== undefined && {'service.workflow.execution.id': execution}),
		},
	});
	const answer = await push(server, [note('a', execution_id), note('b', randomUUID()), note('c')]);
	expect(answer).toEqual({
		partialSuccess: {rejectedSpans: '1', errorMessage: 'Another execution has claimed the workflow run.'},
	});
	const items = await server.database.selectFrom('items').select('data').orderBy('data').execute();
	expect(items.map(({data}) => JSON.parse(data).text)).toEqual(['a', 'c']);
});
