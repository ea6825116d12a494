import {expect, test} from 'vitest';
import type {Result, StreamItem} from '../../src/command/result.ts';
import {fastClock, granted, loginServer, refused} from '../client/login-server.ts';
import {testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const loginClock = fastClock();

/** Returns a login on a server whose tokens expire after one response. */
async function loggedIn() {
	let answers = 0;
	const server = await loginServer({
		tokens: form => (form.has('refresh_token') ? (answers > 1 ? refused('invalid_grant') : granted(2)) : granted(1)),
		api({url, headers}) {
			if (!url.pathname.endsWith('/logs')) {
				return {body: '{"models":[]}'};
			}

			const isAccepted = headers.authorization === `Bearer access-${answers + 1}-0123456789` && answers < 2;
			answers += isAccepted ? 1 : 0;
			return isAccepted ? {body: JSON.stringify({logs: 'a\nb\n'.slice(0, 2 * answers)})} : {status: 401, body: '{}'};
		},
	});
	const login = testContext({flags: {server: server.origin, org: 'acme', workspace: 'lab'}, loginClock});
	await login.run('login');
	return {server, login};
}

async function taken(result: Result): Promise<{readonly items: readonly StreamItem[]; readonly error: unknown}> {
	const items: StreamItem[] = [];
	try {
		for await (const batch of result.kind === 'stream' ? result.batches : []) {
			items.push(...batch);
		}
	} catch (error) {
		return {items, error};
	}

	return {items, error: undefined};
}

test('an expired token is renewed once; if that fails, the tail ends and asks for a login', async () => {
	const {server, login} = await loggedIn();
	const flags = {org: 'acme', workspace: 'lab'};
	const result = await testContext({like: login, flags}).run('env', 'logs', id, '--follow');
	const {items, error} = await taken(result);
	expect(items.filter(({kind}) => kind === 'line').map(({text}) => text)).toEqual(['a', 'b']);
	expect(items.at(-1)).toEqual({
		kind: 'state',
		text: '',
		data: {type: 'ended', why: 'login needed', code: 'auth'},
	});
	expect(error).toMatchObject({code: 'auth', logInTo: server.origin});
});
