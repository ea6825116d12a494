import {expect, test} from 'vitest';
import type {ModelCall} from '../../src/providers/provider.ts';
import {finish, scriptedModel, text} from '../agent/scripted.ts';
import {runApp} from './running-app.ts';

async function started(ask: ModelCall) {
	const app = runApp({ask});
	await app.waitFor('Demo model');
	return app;
}

const token = `ghp_${'aB3'.repeat(12)}`;
const question = 'This message contains an API key. Send it?\n  m  Yes, masked\n  s  Yes, as it is\n❯ n  No\n';

test('a message that contains a key returns to the prompt, unless the user sends it', async () => {
	const model = scriptedModel([text('Done.'), finish('stop')]);
	const {store, type, waitFor, remembered} = await started(model.ask);
	type(`use ${token}\r`);
	await waitFor(question);
	type('\r');
	await expect.poll(() => store.getState().composer.text).toBe(`use ${token}`);
	expect([model.asked, remembered]).toEqual([[], ['use ***']]);
});

test.each([
	['m', 'use ***'],
	['s', `use ${token}`],
])('a message that contains a key is sent as answer %j says, and is saved masked', async (key, sent) => {
	const model = scriptedModel([text('Done.'), finish('stop')]);
	const {type, waitFor, lines, records, remembered} = await started(model.ask);
	type(`use ${token}\r`);
	await waitFor(question);
	type(key);
	await waitFor('Done.');
	expect(model.asked[0]).toEqual([{role: 'user', text: sent}]);
	expect(lines()).toContain('❯ use ***');
	expect(JSON.stringify([records, remembered])).not.toContain(token);
});
