import {expect, test} from 'vitest';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import type {ParameterName} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {logIn} from './oauth/oauth.ts';
import {addWorkspace, ask, populate, unknownName} from './populated.ts';

/** The lists of a workspace beyond the specification. */
const pages: readonly OperationId[] = ['listProjects', 'listEnvironments', 'listRuntimes', 'listSessions', 'listRuns'];

const ids = Object.keys(operations) as OperationId[];

/**
 * Three workspaces with equal content: the member's, another of their organization, and one of another organization.
 */
async function meet(server: TestServer, withEnvironment = false) {
	await addWorkspace(server, 'side');
	const rival = await server.foundAnother();
	return {
		mine: await populate(server, {withEnvironment}),
		beside: await populate(server, {workspace: 'side', withEnvironment}),
		theirs: await populate(server, {org: 'rival', user: rival, withEnvironment}),
		rival,
	};
}

test('[26] resources of another workspace, of others, or unknown ones get the same 404', async () => {
	const server = await createTestServer();
	const {mine, beside, theirs} = await meet(server, true);
	for (const id of ids) {
		const names = parametersOf(operations[id].path) as readonly ParameterName[];
		for (const name of names) {
			const isAnyone = operations[id].path.startsWith('/api/v1/admin/') || name === 'workspace';
			const others = isAnyone ? [] : name === 'userId' || name === 'org' ? [theirs] : [beside, theirs];
			const values = [...others.map(other => other[name]), unknownName(name, mine)];
			const answers = await Promise.all(values.map(value => ask(server, id, {...mine, [name]: value})));
			const seen = new Set(answers.map(({status, text}) => `${status} ${text}`));
			expect([id, name, [...seen]]).toEqual([
				id,
				name,
				['404 {"code":404,"detail":"Nothing has this name or id.","type":"not_found_error"}'],
			]);
		}
	}
});

test('[26] lists contain nothing of other workspaces, organizations and users', async () => {
	const server = await createTestServer();
	const {mine, beside, theirs, rival} = await meet(server);
	const lists: readonly OperationId[] = ['listAssessments', 'listFindings', 'listRunItems', 'getItemSchemas', ...pages];
	for (const [own, key] of [
		[mine, server.owner.key],
		[beside, server.owner.key],
		[theirs, rival.key],
	] as const) {
		const others = [mine, beside, theirs].filter(one => one !== own);
		for (const id of lists) {
			const {status, text} = await ask(server, id, own, key);
			const strangers = others.flatMap(({assessmentId, findingId, itemId, project, runtimeId, sessionId, runId}) => [
				assessmentId,
				findingId,
				itemId,
				project,
				runtimeId,
				sessionId,
				runId,
			]);
			expect([id, status, strangers.filter(name => text.includes(name))]).toEqual([id, 200, []]);
		}
	}

	const keys = await ask(server, 'listApiKeys', theirs, rival.key);
	expect(keys.json.map(({name}: {name: string}) => name)).toEqual(['serve init']);
});

test('[26] a revoked key is invalid at once, with the login that it opened but no other', async () => {
	const server = await createTestServer();
	const {owner} = server;
	const {json: made} = await server.send('/api/v1/user/api-keys', {method: 'POST', body: {name: 'laptop'}});
	const opened = await logIn(server, {apiKeyId: made.id});
	const other = await logIn(server);
	const statuses = async () =>
		await Promise.all(
			[made.key, opened.access, other.access, owner.key].map(
				async key => (await server.send('/api/v1/user/preferences', {key})).status,
			),
		);
	expect(await statuses()).toEqual([200, 200, 200, 200]);
	await server.send(`/api/v1/user/api-keys/${made.id}`, {method: 'DELETE'});
	expect(await statuses()).toEqual([401, 401, 200, 200]);
});
