import {expect, test} from 'vitest';
import {grantCredits, setMemberLimit} from '../../../src/server/credits/account.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const minute = 60_000;
const path = `${inWorkspace}/environments`;

/** Creates a server with an organization's credits; a minute of a sandbox costs one. */
async function withCredits(credits: number) {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	const {id: organizationId} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const gift = {organizationId, amount: 100, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, gift));
	await server.database.updateTable('credit_accounts').set({balance: credits}).execute();
	return {server, organizationId};
}

const create = (server: TestServer) => server.send(path, {method: 'POST', body: {task_ref: 'sleeper'}});

const balanceOf = async ({database}: TestServer) =>
	(await database.selectFrom('credit_accounts').select('balance').executeTakeFirstOrThrow()).balance;

test('without credits an environment is rejected and nothing of it is stored', async () => {
	const {server} = await withCredits(0);
	const {status, json} = await create(server);
	expect([status, json.type]).toEqual([409, 'usage_limit_exceeded_error']);
	expect(await server.database.selectFrom('sandboxes').select('id').execute()).toEqual([]);
});

test('a member whose monthly credits are used up cannot create an environment', async () => {
	const {server, organizationId} = await withCredits(50);
	const limit = {organizationId, userId: server.owner.id, limit: 1, now: server.services.now()};
	await server.database.transaction().execute(transaction => setMemberLimit(transaction, limit));
	expect((await create(server)).status).toBe(200);
	const {status, json} = await create(server);
	expect([status, json.type]).toEqual([409, 'member_limit_exceeded_error']);
	expect(await balanceOf(server)).toBe(49);
});

test('an environment is charged while it runs, and shows why it ended early', async () => {
	const {server} = await withCredits(3);
	const {json} = await create(server);
	expect(json).toMatchObject({state: 'ready', expires_at: '2026-03-01T12:03:00.000Z'});
	expect(await balanceOf(server)).toBe(2);
	server.advance(minute + 1000);
	await updateSandboxes(server.services);
	expect(await balanceOf(server)).toBe(1);
	server.advance(2 * minute);
	await updateSandboxes(server.services);
	expect((await server.send(`${path}/${json.id}`)).json).toMatchObject({
		state: 'torn_down',
		error: 'The credits of the organization are used up.',
	});
	expect(await balanceOf(server)).toBe(0);
});

test('an environment ends when others use up the credits, and a stopped one is charged until then', async () => {
	const {server} = await withCredits(50);
	const first = await create(server);
	const second = await create(server);
	server.advance(5 * minute);
	await server.send(`${path}/${first.json.id}/stop`, {method: 'POST'});
	expect(await balanceOf(server)).toBe(44);
	await server.database.updateTable('credit_accounts').set({balance: 2}).execute();
	await updateSandboxes(server.services);
	expect(await balanceOf(server)).toBe(0);
	expect((await server.send(`${path}/${second.json.id}`)).json).toMatchObject({
		state: 'torn_down',
		error: 'The credits of the organization are used up.',
	});
});

test('an environment whose sandbox cannot start is refunded', async () => {
	const {server} = await withCredits(3);
	const {sandboxes} = server.services;
	const provider = {...sandboxes.provider, start: () => Promise.reject(new Error('no room'))};
	Object.assign(server.services, {sandboxes: {...sandboxes, provider}});
	expect((await create(server)).json.state).toBe('failed');
	expect(await balanceOf(server)).toBe(3);
	const entries = await server.database.selectFrom('credit_entries').select('reason').where('amount', '=', 1).execute();
	expect(entries).toEqual([{reason: 'refund: environment sleeper did not start'}]);
});
