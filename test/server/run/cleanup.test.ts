import {expect, onTestFinished, test} from 'vitest';
import {countAttempt} from '../../../src/server/accounts/attempts.ts';
import {takeSweep} from '../../../src/server/database/sweep-lease.ts';
import {startCleanup} from '../../../src/server/run/start.ts';
import {createTestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {countingQueries} from '../sandboxes/simulated.ts';

test('strangers’ attempts are deleted after a while, even without further requests', async () => {
	const {services, database, advance} = await createTestServer();
	await countAttempt(services, 'sign-in', 'a stranger');
	advance(2 * 3_600_000);
	await countAttempt(services, 'sign-in', 'another one');
	const keeper = startCleanup(services, 5);
	onTestFinished(() => keeper.close());
	const left = async () => (await database.selectFrom('attempts').select('count').execute()).length;
	await eventually(async () => (await left()) === 1);
	await keeper.close();
	expect(await left()).toBe(1);
});

test('of two servers on a database one deletes them, and the other one goes on once it has ended', async () => {
	const server = await createTestServer();
	const {services, count} = countingQueries(server.services);
	const intervalMs = 5;
	const lease = {name: 'expired rows', server: 'another', nowMs: services.now().getTime(), leaseMs: 60_000};
	expect(await takeSweep(server.database, lease)).toBe(true);
	server.advance(60_000 - 2 * intervalMs);
	await countAttempt(server.services, 'sign-in', 'a stranger');
	await server.database.updateTable('attempts').set({resets_at: ''}).execute();
	const keeper = startCleanup(services, intervalMs);
	onTestFinished(() => keeper.close());
	const left = async () => (await server.database.selectFrom('attempts').select('count').execute()).length;
	await eventually(() => count() > 3);
	expect(await left()).toBe(1);
	server.advance(3 * intervalMs);
	await eventually(async () => (await left()) === 0);
});
