import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {grantCredits} from '../../../src/server/credits/account.ts';
import {createLogCollector} from '../../../src/server/sandboxes/log-collector.ts';
import {logStoreOf, readStoredLog} from '../../../src/server/sandboxes/log-store.ts';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import {createCheck} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createRandom, drawnSeed} from '../../faults/fault.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {observed} from './logged.ts';
import {balanceOf} from './machines.ts';
import {addReady, onEngine, type Simulated, simulateEngine} from './simulated.ts';

/** 1,000 pass as well, in a minute and a half. */
const count = 60;
const seconds = 120;
const gift = 10_000;

/** What a server on the engine does every second, until it is killed in the middle of a statement. */
function beside(server: TestServer, engine: Simulated) {
	let left = Number.POSITIVE_INFINITY;
	const database = observed(server.database, () => {
		left -= 1;
		if (left < 0) {
			throw new Error('The server was killed.');
		}
	});
	const on = onEngine(server, engine);
	const services = {...on, database, sandboxes: {...on.sandboxes, collectsLogs: true}};
	const lease = createMachineLease(services, {id: randomUUID(), address: null});
	const check = createCheck(services, lease);
	const collector = createLogCollector(services);
	return {
		isHeld: lease.isHeld,
		killAfter(statements: number) {
			left = statements;
		},
		isKilled: () => left < 0,
		async beat() {
			await lease.renew();
			await collector.renew();
			await collector.claim();
			if (lease.isHeld()) {
				await check();
			}

			await collector.collect();
		},
	};
}

test(`of sandboxes that write, on one engine of three servers of which one is killed, each ends and is billed once, and no line is lost or doubled (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	const server = await createTestServer();
	const {database} = server;
	const {id: organizationId} = await database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const given = {organizationId, amount: gift, reason: 'gift', now: server.services.now()};
	await database.transaction().execute(transaction => grantCredits(transaction, given));
	const engine = simulateEngine();
	const shared = {...engine, provider: {...engine.provider, isShared: true}};
	const servers = Array.from({length: 3}, () => beside(server, shared));
	for (const {beat} of servers) {
		await beat();
	}

	const ids = await addReady(server, shared, {count, seconds});
	const machine = await shared.provider.machine();
	const columns = {machine, state: 'open', start_offset: 0, end_offset: 0, collected: 0} as const;
	await database
		.insertInto('sandbox_logs')
		.values(ids.map(sandbox_id => ({sandbox_id, ...columns})))
		.execute();
	const killed = servers.find(({isHeld}) => isHeld());
	expect(killed).toBeDefined();
	let lines = 0;
	for (let second = 0; second < seconds + 60; second += 1) {
		for (const id of ids.filter(each => engine.states.get(each)?.kind === 'running' && random.below(4) === 0)) {
			// Lines are cut anywhere.
			const line = Buffer.from(`${lines++} grüße 😀\n`);
			const before = engine.logs.get(id) ?? Buffer.alloc(0);
			const open = before.length > 0 && before.at(-1) !== 10 ? Buffer.from('…\n') : Buffer.alloc(0);
			const cut = random.below(2) === 0 ? line : line.subarray(0, random.below(line.length));
			engine.logs.set(id, Buffer.concat([before, open, cut]));
		}

		if (second === 20) {
			killed?.killAfter(random.below(60));
		}

		server.advance(1000);
		for (const each of servers.filter(one => !one.isKilled())) {
			await each.beat().catch(error => expect(each.isKilled(), String(error)).toBe(true));
		}
	}

	expect(killed?.isKilled()).toBe(true);
	const rows = await database
		.selectFrom('sandboxes')
		.innerJoin('environments', 'environments.sandbox_id', 'sandboxes.id')
		.innerJoin('sandbox_logs', 'sandbox_logs.sandbox_id', 'sandboxes.id')
		.select(['sandboxes.id', 'sandboxes.state', 'environments.state as environment', 'billed_credits'])
		.select(['sandbox_logs.state as log', 'start_offset', 'end_offset'])
		.execute();
	expect(rows.length).toBe(count);
	const ends = {state: 'killed', environment: 'torn_down', billed_credits: seconds / 60, log: 'complete'};
	for (const {id, start_offset, end_offset, ...row} of rows) {
		expect(row).toEqual(ends);
		const window = await readStoredLog(logStoreOf(server.services), id, {start_offset, end_offset}, 0);
		expect(Buffer.from(window.bytes ?? window.text).equals(engine.logs.get(id) ?? Buffer.alloc(0)), id).toBe(true);
	}

	// The first minute was paid at the start.
	expect(await balanceOf(server)).toBe(gift - count * (seconds / 60 - 1));
});
