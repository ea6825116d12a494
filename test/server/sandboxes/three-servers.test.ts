import {expect, test} from 'vitest';
import {grantCredits} from '../../../src/server/credits/account.ts';
import {watchMachines} from '../../../src/server/sandboxes/lost-machines.ts';
import {createMachineLease, heartbeatMs} from '../../../src/server/sandboxes/machine-lease.ts';
import {createCheck} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {balanceOf} from './machines.ts';
import {addReady, onEngine, type Simulated, simulateEngine} from './simulated.ts';

const counts = [340, 330, 330];
const count = 1000;
const minutes = 3;
const gift = 10_000;

/** What the monitor of a server does with each heartbeat, by the clock of the test, until the server is killed. */
function beside(server: TestServer, engine: Simulated, host: string) {
	const services = onEngine(server, engine, host);
	const lease = createMachineLease(services);
	const check = createCheck(services, lease);
	const freeLost = watchMachines(services);
	let isKilled = false;
	return {
		services,
		engine,
		kill() {
			isKilled = true;
		},
		async beat() {
			if (!isKilled) {
				await lease.renew();
				await freeLost();
				await check();
			}
		},
	};
}

test('of 1,000 sandboxes on three servers, of which one is killed, each ends once and is billed once', async () => {
	const server = await createTestServer();
	const {id: organizationId} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const given = {organizationId, amount: gift, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, given));
	const servers = ['one', 'two', 'three'].map(host => beside(server, simulateEngine(), host));
	const [, , third] = servers;
	const beatAll = () => Promise.all(servers.map(({beat}) => beat()));
	await beatAll();

	for (const [index, {engine}] of servers.entries()) {
		await addReady(server, engine, {count: counts[index] ?? 0, seconds: minutes * 60});
	}

	for (let passedMs = 0; passedMs < (minutes + 3) * 60_000; passedMs += heartbeatMs) {
		if (passedMs === 60_000) {
			third?.kill();
		}

		server.advance(heartbeatMs);
		await beatAll();
	}

	const sandboxes = await server.database
		.selectFrom('sandboxes')
		.innerJoin('environments', 'environments.sandbox_id', 'sandboxes.id')
		.select(['sandboxes.state', 'environments.state as environment', 'error', 'billed_credits', 'past_seconds'])
		.execute();
	const lostError = 'The machine of its sandbox was lost.';
	const ends = {state: 'killed', environment: 'torn_down', billed_credits: minutes, past_seconds: minutes * 60};
	expect(sandboxes.filter(row => JSON.stringify({...row, ...ends}) !== JSON.stringify(row))).toEqual([]);
	const lost = sandboxes.filter(({error}) => error === lostError).length;
	expect([sandboxes.length, lost]).toEqual([count, counts[2]]);
	// The first minute was paid at the start.
	const left = gift - count * (minutes - 1);
	expect(await balanceOf(server)).toBe(left);
	const {sum} = await server.database
		.selectFrom('credit_entries')
		.select(({fn}) => fn.sum<number>('amount').as('sum'))
		.executeTakeFirstOrThrow();
	expect(Number(sum)).toBe(left);
});
