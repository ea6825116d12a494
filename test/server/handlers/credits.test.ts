import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {setAutoRefill, setMemberLimit} from '../../../src/server/credits/account.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

const path = '/api/v1/org/acme/credits';
const unlimit = (server: TestServer, userId: string, key = server.owner.key) =>
	server.send(`${path}/member-limits/${userId}`, {method: 'DELETE', key});
const limits = async ({database}: TestServer) =>
	(await database.selectFrom('member_credits').select('monthly_limit').execute()).map(row => row.monthly_limit);

async function limit({database, services}: TestServer, userId: string, organization?: string) {
	const {organizationId} = await findProjectOf(database, organization);
	await database
		.transaction()
		.execute(transaction => setMemberLimit(transaction, {organizationId, userId, limit: 50, now: services.now()}));
}

test('the auto-refill is off until it is set, and its month ends', async () => {
	const server = await createTestServer();
	const off = {
		enabled: false,
		has_payment_method: false,
		month_count: 0,
		month_reset: null,
		monthly_cap: null,
		quantity: null,
		threshold: null,
	};
	expect((await server.send(`${path}/auto-refill`)).json).toEqual(off);

	const {organizationId: organization_id} = await findProjectOf(server.database);
	const refill = {refill_enabled: 1, has_payment_method: 1, monthly_cap: 3, quantity: 50, threshold: 10} as const;
	await server.database.transaction().execute(transaction => setAutoRefill(transaction, {organization_id, ...refill}));
	await server.database
		.updateTable('credit_accounts')
		.set({month_count: 2, month_reset: '2026-04-01T00:00:00.000Z'})
		.execute();
	const {key} = await server.join('member');
	const on = {enabled: true, has_payment_method: true, monthly_cap: 3, quantity: 50, threshold: 10};
	const {status, json} = await server.send(`${path}/auto-refill`, {key});
	expect([status, json]).toEqual([200, {...on, month_count: 2, month_reset: '2026-04-01T00:00:00.000Z'}]);
	server.advance(31 * 24 * 3_600_000);
	expect((await server.send(`${path}/auto-refill`)).json).toEqual({...on, month_count: 0, month_reset: null});
});

test('an owner or admin removes a member’s limit, even if there is none', async () => {
	const server = await createTestServer();
	const member = await server.join('member');
	await limit(server, member.id);
	const {status, text} = await unlimit(server, member.id.toUpperCase());
	expect([status, text, await limits(server)]).toEqual([204, '', [null]]);
	const {key} = await server.join('admin');
	expect((await unlimit(server, member.id, key)).status).toBe(204);
	expect((await unlimit(server, server.owner.id, key)).status).toBe(204);
});

test('[26] members may not remove it, and a user who is not a member is not found', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const member = await server.join('member');
	await limit(server, member.id);
	await limit(server, rival.id, 'rival');
	const answers = [
		await unlimit(server, member.id, member.key),
		await unlimit(server, member.id, rival.key),
		await unlimit(server, rival.id),
		await unlimit(server, randomUUID()),
		await unlimit(server, 'x'),
	];
	expect(answers.map(({status}) => status)).toEqual([403, 404, 404, 404, 422]);
	expect(new Set(answers.slice(1, 4).map(({text}) => text)).size).toBe(1);
	expect(await limits(server)).toEqual([50, 50]);
	expect((await server.send(`${path}/auto-refill`, {key: rival.key})).status).toBe(404);
});
