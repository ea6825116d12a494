import {AsyncLocalStorage} from 'node:async_hooks';
import {expect, test} from 'vitest';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {createTestServer, inWorkspace, type TestServer} from './harness.ts';
import {ask, populate} from './populated.ts';

/** The questions of the request in whose course they are asked, so that work in the background doesn't count. */
const asking = new AsyncLocalStorage<string[]>();

/** Returns a function that counts the statements that a request executes, with `begin` and `commit`. */
function questionCounter({database}: TestServer) {
	const executor = database.getExecutor();
	const provide = executor.provideConnection.bind(executor);
	executor.provideConnection = consumer =>
		provide(connection =>
			consumer({
				executeQuery(query) {
					asking.getStore()?.push(query.sql);
					return connection.executeQuery(query);
				},
				streamQuery: (query, size) => connection.streamQuery(query, size),
			}),
		);
	return async <Answer>(request: () => Promise<Answer>) => {
		const questions: string[] = [];
		return {answer: await asking.run(questions, request), count: questions.length};
	};
}

/** Questions that a read asks of the database: the caller with their scope, and the rows with their total. */
const questions: Partial<Record<OperationId, number>> = {
	getEnvironmentLogs: 2,
	resolveTraceArtifact: 2,
	getUserPreferences: 2,
	getAttackSpans: 2,
	listRunItems: 2,
	getItemSchemas: 2,
	// Figures by type, and the spans that declare a number of items.
	getEvaluationTraceStats: 3,
	getAutoRefill: 2,
	getFinding: 2,
	listAssessments: 2,
	listFindings: 2,
	listApiKeys: 2,
	listOrganizations: 2,
	listWorkspaces: 2,
	listProjects: 2,
	listEnvironments: 2,
	getEnvironment: 2,
	listRuntimes: 2,
	getRuntime: 2,
	listSessions: 2,
	listRuns: 2,
	getWorkspace: 2,
	getProject: 2,
	listMembers: 2,
	listInvitations: 2,
	listAuditLog: 2,
	listServerAuditLog: 2,
	listUsers: 2,
	listServerOrganizations: 2,
	// How large the spans of a page are, and those that fit.
	exportSpans: 3,
};

test('each read asks the database as often as it did, and each list at most twice', async () => {
	const server = await createTestServer();
	const parameters = await populate(server, {withEnvironment: true});
	const reads = (Object.keys(operations) as OperationId[]).filter(id => operations[id].method === 'GET');
	expect(reads.toSorted()).toEqual(Object.keys(questions).toSorted());
	const counting = questionCounter(server);
	const counted: Partial<Record<OperationId, number>> = {};
	for (const id of reads) {
		const {answer, count} = await counting(() => ask(server, id, parameters));
		counted[id] = count;
		expect(answer.status, `${id}: ${answer.text}`).toBe(200);
	}

	expect(counted).toEqual(questions);
	const lists = reads.filter(id => id.startsWith('list')).map(id => counted[id] ?? 0);
	expect(Math.max(...lists)).toBe(2);
});

test.each([
	['of one project', '/runtimes?project=web', 2],
	['of an unknown project', '/runtimes?project=nope', 1],
	['that is full', '/runtimes?page_size=1', 2],
	// It has no row with the total.
	['after its last page', '/runtimes?page=7', 3],
	['of assessments after its last page', '/airt/assessments?page=7', 3],
])('a list %s asks the database %s: %i times', async (_, path, stored) => {
	const server = await createTestServer();
	await populate(server);
	const {answer, count} = await questionCounter(server)(() => server.send(`${inWorkspace}${path}`));
	expect([count, answer.json.total ?? answer.json.code]).toEqual([stored, path.includes('nope') ? 404 : 1]);
});

test('[26] a revoked key, a suspended user and another role count for the next request', async () => {
	const server = await createTestServer();
	const [gone, suspended, demoted] = [
		await server.join('owner'),
		await server.join('owner'),
		await server.join('owner'),
	];
	const rename = async ({key}: {readonly key: string}) =>
		(await server.send('/api/v1/org/acme', {method: 'PATCH', body: {description: 'a'}, key})).status;
	const callers = [gone, suspended, demoted];
	expect(await Promise.all(callers.map(rename))).toEqual([200, 200, 200]);

	const at = '2026-03-01T12:00:00.000Z';
	const {database} = server;
	await database.updateTable('api_keys').set({revoked_at: at}).where('user_id', '=', gone.id).execute();
	await database.updateTable('users').set({suspended_at: at}).where('id', '=', suspended.id).execute();
	await database.updateTable('members').set({role: 'member'}).where('user_id', '=', demoted.id).execute();
	expect(await Promise.all(callers.map(rename))).toEqual([401, 401, 403]);
	await database.deleteFrom('members').where('user_id', '=', demoted.id).execute();
	expect(await rename(demoted)).toBe(404);
});
