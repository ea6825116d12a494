import {expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {startEnrollment} from '../../src/server/accounts/second-factor.ts';
import {createTestServer} from './harness.ts';
import {complaintOf, sendRaw} from './hostile-answers.ts';
import {callOf, type Parameters, pendingRun, populate, pushSpans} from './populated.ts';

/** What they delete, the others need: `retention/delete-data.test.ts` races them. */
const deletions: readonly OperationId[] = [
	'deleteSession',
	'deleteEnvironment',
	'deleteProject',
	'deleteOrganization',
	'deleteServerOrganization',
];

const rows = (Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>).filter(
	([id]) => !deletions.includes(id),
);
const atOnce = 6;

/** A valid request, the same each time. */
function requestOf(id: OperationId, parameters: Parameters) {
	const {method, path, body} = callOf(id, parameters);
	return {path, sent: {method, ...(body && {body: JSON.stringify(body)})}};
}

test('six concurrent requests to each operation, beside all others, neither fail nor hang', async () => {
	const server = await createTestServer();
	const {org, workspace, keyId, ...names} = await populate(server);
	await pushSpans(server, [pendingRun(keyId)], {org, workspace, key: server.owner.key});
	await startEnrollment(server.services, server.owner.id);
	const made = await server.send('/api/v1/user/api-keys', {method: 'POST', body: {}});
	// Another organization is suspended and reinstated, or all others would be refused.
	await server.foundAnother();
	const parameters = {org, workspace, ...names, organization: 'rival', runId: keyId, keyId: made.json.id};
	// Processes take time, and starting them concurrently is tested elsewhere.
	await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
	const asked = rows.flatMap(([id, row]) => {
		const {path, sent} = requestOf(id, parameters);
		return Array.from({length: atOnce}, async () => {
			const answer = await sendRaw(server, path, sent);
			return {id, status: answer.status, complaint: complaintOf(row, answer)};
		});
	});
	const answers = await Promise.all(asked);
	expect(answers.filter(({complaint}) => complaint !== undefined)).toEqual([]);
	expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);

	const statusesOf = (wanted: OperationId) =>
		answers.flatMap(({id, status}) => (id === wanted ? [status] : [])).sort((a, b) => a - b);
	const statuses = Object.fromEntries(rows.map(([id]) => [id, [...new Set(statusesOf(id))]]));
	expect(statuses).toEqual({
		...Object.fromEntries(rows.map(([id, {result}]) => [id, [result ? 200 : 204]])),
		createEnvironment: [409],
		resumeRuntime: [409],
		// There is no enrollment, and the code is a guess.
		getEnvironmentLogs: [404],
		getEnvironment: [404],
		stopEnvironment: [404],
		// One of six gets the key.
		createRuntime: [200, 409],
		verifyMfaEnrollment: [400],
		revokeApiKey: [204, 404],
		updateApiKey: expect.toSatisfy((seen: number[]) => seen.every(status => status === 200 || status === 404)),
		// One of six gets the slug or adds the address.
		createWorkspace: [200, 409],
		createProject: [200, 409],
		addMember: [200, 409],
		// An invitation replaces the pending one of its address.
		revokeInvitation: expect.toSatisfy((seen: number[]) => seen.every(status => status === 200 || status === 404)),
		// The caller is the only owner, and nobody changes their own role or suspends themselves.
		removeMember: [409],
		updateMember: [409],
		suspendUser: [409],
	});
	// A key is revoked only once.
	expect(statusesOf('revokeApiKey')).toEqual([204, 404, 404, 404, 404, 404]);
	const claimed = await server.database.selectFrom('workflow_runs').selectAll().where('id', '=', keyId).execute();
	expect(claimed).toMatchObject([{status: 'running', claimed_by: server.owner.id}]);
	const stages = await server.database.selectFrom('stages').select('id').execute();
	expect(stages).toHaveLength(1);
});
