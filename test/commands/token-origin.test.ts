import {expect, test} from 'vitest';
import {fastClock, granted, loginServer, metadataPath} from '../client/login-server.ts';
import {type Asked, refill, scripted} from '../client/server.ts';
import {testContext} from './context.ts';

const loginClock = fastClock();
const held = /access-\d|refresh-\d|device-code/;

/** Returns everything received over the socket as one text. */
const received = (asked: readonly Asked[]) =>
	asked.map(({url, headers, body}) => `${url.href} ${JSON.stringify(headers)} ${body.toString()}`).join('\n');

/** Logs in through the browser to a server with the given responses, and starts a second server. */
async function twoServers(
	then: (other: string) => {readonly status: number; readonly headers?: Record<string, string>},
) {
	let isLoggedIn = false;
	let other = '';
	let metadata: object = {};
	const server = await loginServer({
		tokens: form => granted(form.has('refresh_token') ? 2 : 1),
		metadata: () => metadata,
		api: () => (isLoggedIn ? {body: '{}', ...then(other)} : {body: '{"models":[]}'}),
	});
	const stranger = await scripted(() => ({body: JSON.stringify({models: [], ...JSON.parse(refill)})}));
	other = stranger.origin;
	const login = testContext({flags: {server: server.origin, org: 'acme'}, loginClock});
	await login.run('login');
	isLoggedIn = true;
	return {
		server,
		stranger,
		login,
		setMetadata(changed: object) {
			metadata = changed;
		},
	};
}

test('a redirect to another origin carries no token [6] [7]', async () => {
	const {stranger, login} = await twoServers(other => ({status: 307, headers: {location: `${other}/take`}}));
	await expect(testContext({like: login}).run('credits', 'show')).rejects.toMatchObject({code: 'network'});
	await expect(testContext({like: login}).run('whoami')).rejects.toMatchObject({code: 'network'});
	expect(stranger.asked).toEqual([]);
});

test('metadata that points to another origin later gets no refresh token [6]', async () => {
	const {server, stranger, login, setMetadata} = await twoServers(() => ({status: 401}));
	setMetadata({token_endpoint: `${stranger.origin}/token`});
	await expect(testContext({like: login}).run('credits', 'show')).rejects.toMatchObject({code: 'auth'});
	expect(stranger.asked).toEqual([]);
	expect(server.polls).toHaveLength(1);
});

test('a redirecting token endpoint leaks no refresh token [7]', async () => {
	const stranger = await scripted(() => ({body: '{}'}));
	const server = await loginServer({
		tokens: () => ({status: 307, headers: {location: `${stranger.origin}/token`}}),
	});
	const {run} = testContext({flags: {server: server.origin}, loginClock});
	await expect(run('login')).rejects.toMatchObject({code: 'network', message: expect.stringMatching(/^Not following/)});
	expect(stranger.asked).toEqual([]);
});

test('connect and login never send the tokens of another server [6]', async () => {
	const {stranger, login} = await twoServers(() => ({status: 200}));
	const key = 'key-of-the-stranger';
	await testContext({like: login, answers: [key]}).run('connect', stranger.origin);
	await testContext({like: login, flags: {server: stranger.origin}, answers: [key]}).run('login');
	await testContext({like: login}).run('whoami');
	await expect(
		testContext({like: login, flags: {server: stranger.origin, org: 'acme'}}).run('credits', 'show'),
	).resolves.toBeDefined();
	expect(stranger.asked.map(({url}) => url.pathname)).toContain(metadataPath);
	expect(received(stranger.asked)).not.toMatch(held);
});

test('a server from the environment gets no token of another server [6]', async () => {
	const {stranger, login} = await twoServers(() => ({status: 200}));
	const {run} = testContext({like: login, env: {SERVICE_SERVER: stranger.origin}});
	await expect(run('whoami')).rejects.toMatchObject({code: 'auth'});
	expect(stranger.asked).toEqual([]);
});
