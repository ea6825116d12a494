import {expect, test} from 'vitest';
import {grantCredits, setMemberLimit} from '../../../src/server/credits/account.ts';
import {createBackground} from '../../../src/server/sandboxes/background.ts';
import {createRuntime} from '../../../src/server/sandboxes/create-runtime.ts';
import type {SandboxProvider} from '../../../src/server/sandboxes/provider.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {addTask, listener} from '../sandboxes/task-folder.ts';

const minute = 60_000;

/** Creates a server with a runtime of its owner and an organization's credits; a minute costs one. */
async function withCredits(credits: number) {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {id: workspaceId, organization_id: organizationId} = await server.database
		.selectFrom('workspaces')
		.selectAll()
		.executeTakeFirstOrThrow();
	await createRuntime(server.services, {
		...{organizationId, workspaceId, projectId: null, createdBy: server.owner.id},
		...{key: 'dev', name: 'Development', taskReference: 'listens'},
	});
	await server.database
		.transaction()
		.execute(transaction =>
			grantCredits(transaction, {organizationId, amount: credits, reason: 'gift', now: server.services.now()}),
		);
	return {server, organizationId};
}

const resume = (server: TestServer) => server.send(`${inWorkspace}/runtimes/dev/resume`, {method: 'POST'});

const balanceOf = async ({database}: TestServer) =>
	(await database.selectFrom('credit_accounts').select('balance').executeTakeFirstOrThrow()).balance;

const sandboxOf = ({database}: TestServer) => database.selectFrom('sandboxes').selectAll().executeTakeFirstOrThrow();

test('a runtime is charged while it runs, pauses when the credits are used up, and is then rejected', async () => {
	const {server} = await withCredits(12);
	const {json} = await resume(server);
	expect([await balanceOf(server), json.instance]).toMatchObject([
		11,
		{
			runtime_limited_by_credits: true,
			actual_runtime_limit_seconds: 720,
			expires_at: '2026-03-01T12:12:00.000Z',
			billed_credits: 1,
			estimated_total_credits: 12,
		},
	]);
	server.advance(7 * minute);
	await updateSandboxes(server.services);
	await updateSandboxes(server.services);
	expect([await balanceOf(server), (await sandboxOf(server)).billed_credits]).toEqual([5, 7]);

	server.advance(5 * minute);
	await updateSandboxes(server.services);
	expect(await sandboxOf(server)).toMatchObject({state: 'paused', pause_reason: 'insufficient_credits'});
	expect(await balanceOf(server)).toBe(0);
	const refused = await resume(server);
	expect([refused.status, refused.json]).toEqual([
		409,
		{
			code: 409,
			detail: 'The credits of this organization are used up. Buy some, or wait for the next refill.',
			type: 'usage_limit_exceeded_error',
		},
	]);
	expect((await sandboxOf(server)).state).toBe('paused');
});

test('a runtime pauses early when others use up the credits, and no balance is negative', async () => {
	const {server} = await withCredits(100);
	await resume(server);
	await server.database.updateTable('credit_accounts').set({balance: 2}).execute();
	server.advance(6 * minute);
	await updateSandboxes(server.services);
	expect([await balanceOf(server), await sandboxOf(server)]).toMatchObject([
		0,
		{state: 'paused', pause_reason: 'insufficient_credits', billed_credits: 3},
	]);
});

test('a member over their limit sees the reason in the pause and in the error', async () => {
	const {server, organizationId} = await withCredits(100);
	const limit = {organizationId, userId: server.owner.id, limit: 2, now: server.services.now()};
	await server.database.transaction().execute(transaction => setMemberLimit(transaction, limit));
	expect((await resume(server)).json.instance.actual_runtime_limit_seconds).toBe(120);
	server.advance(2 * minute);
	await updateSandboxes(server.services);
	expect(await sandboxOf(server)).toMatchObject({state: 'paused', pause_reason: 'member_limit_exceeded'});
	const refused = await resume(server);
	expect([refused.status, refused.json.type]).toEqual([409, 'member_limit_exceeded_error']);
});

test('credits are charged as they become due: after the limit is lowered, it runs only for the prepaid time', async () => {
	const {server, organizationId} = await withCredits(100);
	await resume(server);
	const limit = {organizationId, userId: server.owner.id, limit: 1, now: server.services.now()};
	await server.database.transaction().execute(transaction => setMemberLimit(transaction, limit));
	server.advance(minute);
	await updateSandboxes(server.services);
	expect((await sandboxOf(server)).state).toBe('running');
	server.advance(1000);
	await updateSandboxes(server.services);
	expect(await sandboxOf(server)).toMatchObject({
		state: 'paused',
		pause_reason: 'member_limit_exceeded',
		past_seconds: 61,
		billed_credits: 1,
	});
});

test('prepaid time is not charged again, and the estimate is never below the bill', async () => {
	const {server} = await withCredits(100);
	await server.database.updateTable('runtimes').set({requested_seconds: 20}).execute();
	for (const billed of [1, 1, 1, 2, 2]) {
		expect((await resume(server)).json.instance).toMatchObject({
			billed_credits: billed,
			estimated_total_credits: billed,
		});
		server.advance(20_000);
		await updateSandboxes(server.services);
		expect((await sandboxOf(server)).state).toBe('paused');
	}

	expect(await balanceOf(server)).toBe(98);
});

/** Replaces operations of the server's provider. Returns what restores them. */
function breakProvider(server: TestServer, broken: Partial<SandboxProvider>) {
	const {sandboxes} = server.services;
	Object.assign(server.services, {sandboxes: {...sandboxes, provider: {...sandboxes.provider, ...broken}}});
	return () => void Object.assign(server.services, {sandboxes});
}

const noRoom = () => Promise.reject(new Error('no room'));

const bookkeeping = async (server: TestServer) => ({
	balance: await balanceOf(server),
	used: (await server.database.selectFrom('member_credits').select('month_used').executeTakeFirstOrThrow()).month_used,
	entries: await server.database
		.selectFrom('credit_entries')
		.select(['amount', 'reason'])
		.where('reason', '!=', 'gift')
		.orderBy('amount')
		.execute(),
});

const refundedOnce = {
	balance: 12,
	used: 0,
	entries: [
		{amount: -1, reason: 'runtime dev'},
		{amount: 1, reason: 'refund: runtime dev did not start'},
	],
};

test('a runtime whose sandbox cannot start is refunded once, and the entries show why', async () => {
	const {server} = await withCredits(12);
	const restore = breakProvider(server, {start: noRoom});
	expect((await resume(server)).status).toBe(502);
	restore();
	server.advance(5 * minute);
	await updateSandboxes(server.services);
	expect(await bookkeeping(server)).toEqual(refundedOnce);
	expect(await sandboxOf(server)).toMatchObject({state: 'killed', billed_credits: 0, past_seconds: 0});
	expect((await resume(server)).json.instance.billed_credits).toBe(1);
});

test('a runtime is refunded once if its server crashed while the sandbox was starting', async () => {
	const {server} = await withCredits(12);
	let fail: (error: Error) => void = () => undefined;
	let restore: () => void = () => undefined;
	const resumed = await new Promise<{readonly answer: ReturnType<typeof resume>}>(resolve => {
		restore = breakProvider(server, {
			start: () =>
				new Promise((_, reject) => {
					fail = reject;
					resolve({answer});
				}),
		});
		const answer = resume(server);
	});
	restore();
	expect(await balanceOf(server)).toBe(11);
	server.advance(3 * minute);
	const {sandboxes} = server.services;
	await updateSandboxes({...server.services, sandboxes: {...sandboxes, background: createBackground()}});
	expect(await bookkeeping(server)).toEqual(refundedOnce);

	fail(new Error('no room'));
	expect((await resumed.answer).status).toBe(502);
	expect(await bookkeeping(server)).toEqual(refundedOnce);
});

test('a paused runtime that cannot be resumed is refunded only for that', async () => {
	const {server} = await withCredits(12);
	await server.database.updateTable('runtimes').set({requested_seconds: 120}).execute();
	await resume(server);
	server.advance(2 * minute);
	await updateSandboxes(server.services);
	const before = await bookkeeping(server);
	const restore = breakProvider(server, {resume: noRoom});
	expect((await resume(server)).status).toBe(502);
	restore();
	const {entries, ...sums} = await bookkeeping(server);
	expect([sums, entries.slice(-1)]).toMatchObject([
		{balance: before.balance, used: before.used},
		[{amount: 1, reason: 'refund: runtime dev did not start'}],
	]);
	expect(await sandboxOf(server)).toMatchObject({state: 'killed', billed_credits: 2, past_seconds: 120});
});

test('a refund in the next month leaves what the member used in it', async () => {
	const {server} = await withCredits(12);
	const restore = breakProvider(server, {start: noRoom, end: noRoom});
	await resume(server);
	restore();
	server.advance(40 * 24 * 60 * minute);
	await server.database.updateTable('member_credits').set({month: '2026-04', month_used: 5}).execute();
	await updateSandboxes(server.services);
	expect(await bookkeeping(server)).toMatchObject({balance: 12, used: 5});
});
