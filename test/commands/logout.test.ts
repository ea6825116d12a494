import {expect, test} from 'vitest';
import {dataOf, testContext} from './context.ts';
import {goodKey, platform} from './platform.ts';

test('logout removes the key and keeps the profile', async () => {
	const server = await platform();
	const {run, context} = testContext({flags: {server: server.origin, profile: 'lab', org: 'acme'}});
	await run('login', goodKey);
	expect(dataOf(await run('logout'))).toEqual({profile: 'lab', logged_out: true});
	expect(context.program.local.config.read().profiles['lab']).toEqual({
		name: 'lab',
		server: server.origin,
		org: 'acme',
		savedAt: expect.any(String),
	});
});

test('the status line drops a connection without a key', async () => {
	const server = await platform();
	const {run, context} = testContext({flags: {server: server.origin}});
	await run('login', goodKey);
	expect(context.program.store.getState().connection).toMatchObject({server: server.origin, state: 'ready'});
	await run('logout');
	expect(context.program.store.getState().connection).toMatchObject({server: server.origin, state: 'failed'});
});

test('logout fails without a login, and says to unset a key of the environment', async () => {
	await expect(testContext().run('logout')).rejects.toMatchObject({code: 'auth', message: 'You are not logged in.'});
	const env = {SERVICE_SERVER: 'https://a.test', SERVICE_API_KEY: goodKey};
	await expect(testContext({env}).run('logout')).rejects.toMatchObject({
		code: 'usage',
		hint: 'Unset that variable to log out.',
	});
});
