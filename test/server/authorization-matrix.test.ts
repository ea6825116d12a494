import {Secret, TOTP} from 'otpauth';
import {describe, expect, test} from 'vitest';
import {violations} from '../../src/contract/check.ts';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {problemSchema} from '../../src/contract/problem.ts';
import {startEnrollment} from '../../src/server/accounts/second-factor.ts';
import {createToken, hashToken} from '../../src/server/accounts/token.ts';
import {type Caller, callers, matrix} from './authorization-rows.ts';
import {contentsOf} from './contents.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {logIn, postForm} from './oauth/oauth.ts';
import {addWorkspace, callOf, type Parameters, populate, refresh} from './populated.ts';

type Asker = {readonly key: string; readonly id?: string};

/** Every caller in the matrix, with their credential. */
async function meet(server: TestServer): Promise<Readonly<Record<Caller, Asker>>> {
	const {owner, database} = server;
	const member = await server.join('member');
	const [expired, revoked, suspended] = [
		await server.join('owner'),
		await server.join('owner'),
		await server.join('owner'),
	];
	const past = '2026-03-01T11:59:59.999Z';
	await database.updateTable('api_keys').set({expires_at: past}).where('user_id', '=', expired.id).execute();
	const {json} = await server.send('/api/v1/user/api-keys', {key: revoked.key});
	await server.send(`/api/v1/user/api-keys/${json[0].id}`, {method: 'DELETE', key: revoked.key});
	await database.updateTable('users').set({suspended_at: past}).where('id', '=', suspended.id).execute();

	const tokens = {good: await logIn(server), old: await logIn(server), ended: await logIn(server)};
	const hash = hashToken(tokens.old.access);
	await database.updateTable('tokens').set({expires_at: past}).where('token_hash', '=', hash).execute();
	await postForm(server.app, '/oauth/revoke', {token: tokens.ended.access, client_id: 'service-cli'});
	return {
		anonymous: {key: ''},
		badKey: {key: createToken('api-key').token.reveal()},
		expiredKey: expired,
		revokedKey: revoked,
		suspendedUser: suspended,
		accessToken: {key: tokens.good.access, id: owner.id},
		expiredAccessToken: {key: tokens.old.access, id: owner.id},
		revokedAccessToken: {key: tokens.ended.access, id: owner.id},
		member,
		admin: await server.join('admin'),
		owner,
		otherWorkspace: member,
		otherOrganization: await server.foundAnother(),
	};
}

/** Operations that refer to an environment by id. */
const withEnvironment: readonly OperationId[] = ['getEnvironmentLogs', 'getEnvironment', 'stopEnvironment'];

/** Returns the request of an operation; verifying a second factor needs the caller's code. */
async function requestOf(server: TestServer, id: OperationId, parameters: Parameters, {id: userId}: Asker) {
	const call = callOf(id, parameters);
	if (id !== 'verifyMfaEnrollment' || userId === undefined) {
		return call;
	}

	const secret = Secret.fromBase32(await startEnrollment(server.services, userId));
	return {...call, body: {code: new TOTP({secret}).generate({timestamp: server.services.now().getTime()})}};
}

describe.each(Object.keys(operations) as OperationId[])('%s', id => {
	test('[26] each caller gets the result in the matrix, and a rejected one changes nothing', async () => {
		const server = await createTestServer();
		await addWorkspace(server, 'side');
		const parameters = await populate(server, {withEnvironment: withEnvironment.includes(id)});
		const askers = await meet(server);
		const row: Endpoint = operations[id];
		const seen: Record<string, number> = {};
		const refusals = {withCredential: new Set<string>(), withoutOne: new Set<string>()};
		for (const caller of callers) {
			const fresh = await refresh(server, id, parameters);
			const named = caller === 'otherWorkspace' ? {...fresh, workspace: 'side'} : fresh;
			const {path, ...sent} = await requestOf(server, id, named, askers[caller]);
			const before = await contentsOf(server.database);
			const {status, json, text} = await server.send(path, {...sent, key: askers[caller].key});
			seen[caller] = status;
			if (status < 400) {
				expect(row.result ? violations(row.result, json) : []).toEqual([]);
				continue;
			}

			expect([violations(problemSchema, json), json.code]).toEqual([[], status]);
			expect(await contentsOf(server.database)).toEqual(before);
			if (status === 401) {
				refusals[askers[caller].key ? 'withCredential' : 'withoutOne'].add(text);
			}
		}

		expect(seen).toEqual(matrix[id]);
		// The error doesn't say what is wrong with a credential: expired, revoked and invented ones get the same
		// response.
		expect([refusals.withCredential.size, refusals.withoutOne.size]).toEqual([1, 1]);
		expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
	});
});
