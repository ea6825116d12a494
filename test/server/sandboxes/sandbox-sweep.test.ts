import fc from 'fast-check';
import {expect, test} from 'vitest';
import {grantCredits} from '../../../src/server/credits/account.ts';
import {takeSweep} from '../../../src/server/database/sweep-lease.ts';
import {createMachineLease, heartbeatMs} from '../../../src/server/sandboxes/machine-lease.ts';
import {createCheck} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {balanceOf, resume, serverWithRuntime} from './machines.ts';
import {addReady, countingQueries, onEngine, type Simulated, simulateEngine} from './simulated.ts';

const checkMs = 2000;

async function give(server: TestServer, amount: number): Promise<void> {
	const {id: organizationId} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const gift = {organizationId, amount, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, gift));
}

/** A server with an engine, and what its monitor does, by the clock of the test. */
async function withEngine(server: TestServer, engine = simulateEngine()) {
	const {services, count} = countingQueries(onEngine(server, engine));
	const lease = createMachineLease(services);
	const check = createCheck(services, lease);
	let passedMs = 0;
	return {
		engine,
		count,
		services,
		check,
		/** Lets time pass, with a check every two seconds. */
		async pass(seconds: number) {
			for (const endMs = passedMs + seconds * 1000; passedMs < endMs; passedMs += checkMs) {
				server.advance(checkMs);
				if (passedMs % heartbeatMs === 0) {
					await lease.renew();
				}

				await check();
			}
		},
	};
}

const environmentsOf = async ({database}: TestServer) =>
	await database
		.selectFrom('environments')
		.innerJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select(['sandboxes.id', 'environments.state', 'sandboxes.state as sandbox', 'error', 'billed_credits', 'due_at'])
		.orderBy('sandboxes.id')
		.execute();

test('a minute of idle sandboxes costs the database the same number of queries, however many there are', async () => {
	const costs = new Map<number, number>();
	for (const count of [0, 10, 1000]) {
		const server = await createTestServer();
		await give(server, 1_000_000);
		const {engine, count: queries, pass} = await withEngine(server);
		await addReady(server, engine, {count, seconds: 36_000});
		await pass(120);
		const begun = queries();
		await pass(60);
		costs.set(count, queries() - begun);
		const environments = await environmentsOf(server);
		expect(environments.filter(({state, billed_credits: billed}) => state !== 'ready' || billed !== 3)).toEqual([]);
		expect(environments.length).toBe(count);
		expect(await balanceOf(server)).toBe(1_000_000 - 2 * count);
	}

	// A check reads what is due; heartbeats, one look at all, and one charge for everything that became due.
	expect([...costs]).toEqual([
		[0, 37],
		[10, 45],
		[1000, 45],
	]);
});

test('a server in the place of one that was killed finds idle sandboxes with the same number of queries, however many there are', async () => {
	const costs = new Map<number, number>();
	for (const count of [1, 10, 1000]) {
		const server = await createTestServer();
		await give(server, 1_000_000);
		const before = await withEngine(server);
		await addReady(server, before.engine, {count, seconds: 36_000});
		await before.pass(120);
		const after = await withEngine(server, before.engine);
		const begun = after.count();
		await after.check();
		costs.set(count, after.count() - begun);
		before.engine.states.clear();
		await after.pass(2);
		// It knows them: those that end by themselves are noticed.
		expect(new Set((await environmentsOf(server)).map(({state}) => state))).toEqual(new Set(['failed']));
	}

	expect(new Set(costs.values()).size, JSON.stringify([...costs])).toBe(1);
});

test('what a sandbox does by itself is noticed at the next check, although nothing is due', async () => {
	const server = await createTestServer();
	const {engine, pass} = await withEngine(server);
	const [first = '', second = ''] = await addReady(server, engine, {count: 3, seconds: 3600});
	await pass(10);
	engine.states.set(first, {kind: 'ended', step: 'command', status: 3, requested: false});
	engine.states.delete(second);
	await pass(2);
	const states = new Map((await environmentsOf(server)).map(({id, state, sandbox}) => [id, [state, sandbox]]));
	expect([states.get(first), states.get(second)]).toEqual([
		['failed', 'killed'],
		['failed', 'killed'],
	]);
	expect([...states.values()].filter(([state]) => state === 'ready')).toHaveLength(1);
});

test('an engine that does not answer for some sandboxes keeps nobody else waiting', async () => {
	const server = await createTestServer();
	const engine = simulateEngine();
	const [failing = '', stalling = ''] = await addReady(server, engine, {count: 3, seconds: 60});
	const {inspect, end} = engine.provider;
	let release = () => {};
	const answered = new Promise<void>(resolve => {
		release = resolve;
	});
	let ends = 0;
	const broken: Simulated = {
		...engine,
		provider: {
			...engine.provider,
			inspect: async id => (id === failing ? Promise.reject(new Error('no answer')) : await inspect(id)),
			async end(id) {
				if (id === stalling) {
					ends += 1;
					await answered;
				}

				await end(id);
			},
		},
	};
	const {pass} = await withEngine(server, broken);
	await pass(58);
	const [later = ''] = await addReady(server, broken, {count: 1, seconds: 10});
	await pass(62);
	expect(server.entries).toContainEqual({level: 'warn', message: 'sandboxes', error: 'no answer'});
	const states = async () => new Map((await environmentsOf(server)).map(({id, sandbox}) => [id, sandbox]));
	const others = [...(await states())].filter(([id]) => id !== stalling);
	expect(others.map(([, state]) => state)).toEqual(others.map(() => 'killed'));
	expect([others.some(([id]) => id === later), ends]).toEqual([true, 1]);
	release();
	for (let count = 0; count < 100 && (await states()).get(stalling) !== 'killed'; count += 1) {
		await pass(2);
	}

	expect((await states()).get(stalling)).toBe('killed');
});

test('sandboxes of another server on the machine are found, and charged from when they started', async () => {
	const server = await createTestServer();
	await give(server, 100);
	const {engine, pass} = await withEngine(server);
	await pass(10);
	await addReady(server, engine, {count: 2, seconds: 3600});
	await pass(180);
	expect((await environmentsOf(server)).map(({billed_credits: billed}) => billed)).toEqual([3, 3]);
	expect(await balanceOf(server)).toBe(96);
});

test('whatever the credits are, nothing is charged twice, no balance is negative, and what is unpaid ends', async () => {
	await fc.assert(
		fc.asyncProperty(fc.integer({min: 0, max: 30}), fc.integer({min: 1, max: 6}), async (credits, count) => {
			const server = await createTestServer();
			await give(server, credits + 1);
			const {engine, pass} = await withEngine(server);
			await addReady(server, engine, {count, seconds: 300});
			await pass(302);
			const environments = await environmentsOf(server);
			expect(environments.map(({state, sandbox, due_at}) => [state, sandbox, due_at])).toEqual(
				environments.map(() => ['torn_down', 'killed', null]),
			);
			const charged = environments.reduce((sum, {billed_credits: billed}) => sum + billed - 1, 0);
			expect(charged).toBe(Math.min(credits + 1, 4 * count));
			expect(await balanceOf(server)).toBe(credits + 1 - charged);
			const {sum} = await server.database
				.selectFrom('credit_entries')
				.select(({fn}) => fn.sum<number>('amount').as('sum'))
				.executeTakeFirstOrThrow();
			expect(Number(sum)).toBe(await balanceOf(server));
		}),
		{numRuns: 8},
	);
});

test('a runtime is charged by name each minute, pauses at its limit, and is due again once it is resumed', async () => {
	const {server} = await serverWithRuntime();
	const engine = simulateEngine();
	Object.assign(server.services, {sandboxes: onEngine(server, engine).sandboxes});
	const {pass} = await withEngine(server, engine);
	expect((await resume(server)).json.status).toBe('running');
	await pass(122);
	expect((await server.send(`${inWorkspace}/runtimes/dev`)).json.instance.state).toBe('paused');
	expect(await balanceOf(server)).toBe(98);
	await resume(server);
	await pass(122);
	expect((await server.send(`${inWorkspace}/runtimes/dev`)).json.instance).toMatchObject({
		state: 'paused',
		total_runtime_seconds: 240,
		billed_credits: 4,
	});
	const reasons = await server.database
		.selectFrom('credit_entries')
		.select(['reason', 'amount'])
		.where('amount', '<', 0)
		.execute();
	expect(reasons).toEqual(Array(4).fill({reason: 'runtime dev', amount: -1}));
});

test('a day after they ended, the logs of many sandboxes are removed with the next checks', async () => {
	const server = await createTestServer();
	const {engine, pass} = await withEngine(server);
	await addReady(server, engine, {count: 50, seconds: 60});
	await pass(120);
	expect(engine.states.size).toBe(50);
	server.advance(24 * 3_600_000);
	await pass(4);
	expect(engine.states.size).toBe(10);
	await pass(2);
	expect([engine.states.size, await environmentsOf(server)]).toEqual([0, []]);
});

test('of servers that ask for a sweep at once one gets it, and another one after its time', async () => {
	const {database} = await createTestServer();
	const ask = (server: string, nowMs: number) => takeSweep(database, {name: 'x', server, nowMs, leaseMs: 1000});
	const first = await Promise.all(['a', 'b', 'c', 'd'].map(server => ask(server, 5000)));
	expect(first.filter(Boolean)).toEqual([true]);
	const holder = ['a', 'b', 'c', 'd'][first.indexOf(true)] ?? '';
	expect([await ask('other', 5999), await ask(holder, 5999), await ask('other', 6500)]).toEqual([false, true, false]);
	expect([await ask('other', 7000), await ask(holder, 7000)]).toEqual([true, false]);
	// A lease of a clock that was far ahead.
	await ask('ahead', 3_600_000);
	expect(await ask('other', 9000)).toBe(true);
});
