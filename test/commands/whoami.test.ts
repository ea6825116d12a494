import {expect, test} from 'vitest';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey, platform} from './platform.ts';

test('whoami shows profile, scope and the source of the masked key [8]', async () => {
	const server = await platform();
	const first = testContext({flags: {server: server.origin, profile: 'lab', org: 'acme'}});
	await first.run('login', goodKey);
	const result = await testContext({like: first, flags: {workspace: 'ml'}}).run('whoami');
	expect(dataOf(result)).toEqual({
		profile: 'lab',
		server: server.origin,
		org: 'acme',
		workspace: 'ml',
		project: null,
		credential: {kind: 'api-key', source: 'file', last4: 'abcd'},
	});
	const frame = [
		'profile     lab',
		`server      ${server.origin}`,
		'org         acme',
		'workspace   ml',
		'project     not selected',
		'credential  API key …abcd (file)',
	].join('\n');
	expect([drawn(result, 80), drawn(result, 120)]).toEqual([frame, frame]);
});

test('a key from the environment goes to the server from the environment [6]', async () => {
	const server = await platform();
	const {run} = testContext({env: {SERVICE_SERVER: server.origin, SERVICE_API_KEY: goodKey}});
	expect(dataOf(await run('whoami'))).toMatchObject({credential: {source: 'from env'}});
});

test('a key that the server rejects is an authentication error', async () => {
	const server = await platform();
	const {run} = testContext({env: {SERVICE_SERVER: server.origin, SERVICE_API_KEY: 'key-revoked'}});
	await expect(run('whoami')).rejects.toMatchObject({
		code: 'auth',
		message: `${server.origin} rejected the key (Invalid API key).`,
	});
});

test('whoami without a login says how to log in', async () => {
	await expect(testContext().run('whoami')).rejects.toMatchObject({
		code: 'auth',
		message: 'You are not logged in.',
		hint: 'Chatting works without a login. Log in: `login --server <url>`',
	});
});

test('whoami after a logout sends no request, and explains a key that is not sent [6]', async () => {
	const server = await platform();
	const first = testContext({flags: {server: server.origin}});
	await first.run('login', goodKey);
	await first.run('logout');
	const asked = server.seen.length;
	await expect(testContext({like: first}).run('whoami')).rejects.toMatchObject({
		code: 'auth',
		message: `You are not logged in to ${server.origin}.`,
		hint: `Log in: \`login --server ${server.origin}\``,
	});
	await expect(testContext({like: first, env: {SERVICE_API_KEY: goodKey}}).run('whoami')).rejects.toMatchObject({
		hint: `SERVICE_API_KEY isn't sent to ${server.origin}. Set SERVICE_SERVER to its server.`,
	});
	expect(server.seen).toHaveLength(asked);
});

test('whoami in the app without a login shows the embedded server', async () => {
	const {runInApp} = testContext();
	expect(dataOf(await runInApp('whoami'))).toEqual({profile: 'local', server: 'local', credential: 'embedded'});
});

test('an unreachable server and a wrong one are one-sentence errors', async () => {
	const whoami = (env: Record<string, string>) => testContext({env: {SERVICE_API_KEY: goodKey, ...env}}).run('whoami');
	await expect(whoami({SERVICE_SERVER: 'http://127.0.0.1:1'})).rejects.toMatchObject({code: 'network'});
	await expect(whoami({SERVICE_SERVER: 'ftp://a'})).rejects.toMatchObject({code: 'usage'});
	await expect(whoami({SERVICE_PROFILE: 'ghost'})).rejects.toMatchObject({
		code: 'not-found',
		message: 'Profile not found: “ghost”.',
	});
});
