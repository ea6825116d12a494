import {expect, onTestFinished, test} from 'vitest';
import {countAttempt} from '../../../src/server/accounts/attempts.ts';
import {startCleanup} from '../../../src/server/run/start.ts';
import {createTestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';

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
