import {expect, test} from 'vitest';
import type {CommandContext} from '../../src/command/context.ts';
import {fastClock, granted, loginServer, pending, refused, userCode} from '../client/login-server.ts';
import {type Asked, refill} from '../client/server.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey} from './platform.ts';

const hostOf = (origin: string) => new URL(origin).host;
const loginClock = fastClock();

/** A response that is valid for every operation of these tests. */
const anyAnswer = JSON.stringify({models: [], ...JSON.parse(refill)});

/** Returns an API that accepts these bearer tokens. */
const knows =
	(...tokens: readonly string[]) =>
	({headers}: Asked) =>
		tokens.some(token => headers.authorization === `Bearer ${token}`)
			? {body: anyAnswer}
			: {status: 401, body: '{"detail":"Expired"}'};

const first = 'access-1-0123456789';
const second = 'access-2-0123456789';

/** Returns the stored credential of that server. */
function stored(
	{
		program: {
			local: {config},
		},
	}: CommandContext,
	origin: string,
) {
	const {apiKey, accessToken, refreshToken} = config.read().profiles[hostOf(origin)] ?? {};
	return [apiKey, accessToken, refreshToken].map(held => held?.reveal());
}

test('a login without a key goes through the browser if the server supports it', async () => {
	const server = await loginServer({tokens: [pending, granted()], api: knows(first)});
	const {run, shown, asked, context, store} = testContext({flags: {server: server.origin}, loginClock});
	const result = await run('login');
	expect(drawn(result, 80)).toBe(`Logged in to ${server.origin}.`);
	expect(shown).toEqual([
		{
			server: server.origin,
			page: `${server.origin}/device`,
			pageWithCode: `${server.origin}/device?user_code=${userCode}`,
			code: userCode,
			expiresAt: expect.any(Number),
			onApiKey: expect.any(Function),
		},
		'closed',
	]);
	expect(asked).toEqual([]);
	expect(stored(context, server.origin)).toEqual([undefined, first, 'refresh-1-0123456789']);
	expect(store.getState().connection).toMatchObject({profile: hostOf(server.origin), state: 'ready'});
	expect(JSON.stringify(context.program.local.config.read())).not.toMatch(/access-1|refresh-1/);
});

test('a URL in place of the key is the server, and no secret', async () => {
	const server = await loginServer({tokens: [granted()], api: knows(first)});
	const {run, said} = testContext({loginClock});
	expect(drawn(await run('login', server.origin), 80)).toMatch(`Logged in to ${server.origin}.`);
	expect(said.join()).not.toContain('secret');
	const both = testContext({flags: {server: 'https://b.test'}});
	await expect(both.run('login', 'https://a.test')).rejects.toMatchObject({
		code: 'usage',
		message: 'A URL is not an API key.',
	});
});

test.each([
	['access_denied', 'auth'],
	['expired_token', 'auth'],
])('%s stores nothing and closes the panel', async (error, code) => {
	const server = await loginServer({tokens: [refused(error)]});
	const {run, shown, context} = testContext({flags: {server: server.origin}, loginClock});
	await expect(run('login')).rejects.toMatchObject({code});
	expect(shown.at(-1)).toBe('closed');
	expect(context.program.local.config.read().profiles).toEqual({});
});

test('cancelling the login changes nothing', async () => {
	const server = await loginServer({tokens: [pending]});
	const {run, context} = testContext({
		flags: {server: server.origin},
		loginClock,
		onLogin: (_, cancel) => cancel(),
	});
	expect(drawn(await run('login'), 80)).toBe(
		`Login cancelled. Nothing changed.\nWith an API key: /login --with-token --server ${server.origin}`,
	);
	expect(server.polls).toEqual([]);
	expect(context.program.local.config.read().profiles).toEqual({});
});

test('whoever has an API key instead is asked for it, and the login in the browser ends', async () => {
	const sent: (string | undefined)[] = [];
	const api = (asked: Asked) => {
		sent.push(asked.headers.authorization);
		return knows(first, goodKey)(asked);
	};
	const server = await loginServer({tokens: [pending], api});
	const {run, shown, context} = testContext({
		flags: {server: server.origin},
		answers: [goodKey],
		loginClock,
		onLogin: ({onApiKey}) => onApiKey?.(),
	});
	expect(drawn(await run('login'), 80)).toMatch(`Logged in to ${server.origin}.`);
	expect(shown.at(-1)).toBe('closed');
	expect(server.polls).toEqual([]);
	// Between the key for it and the field, nothing is waited for.
	expect(sent).toEqual(sent.map(() => `Bearer ${goodKey}`));
	expect(Object.values(context.program.local.config.read().profiles)).toMatchObject([{server: server.origin}]);
});

test('Ctrl+C in a shell interrupts the login [21]', async () => {
	const abort = new AbortController();
	const server = await loginServer({tokens: [pending]});
	const {run, shown} = testContext({
		flags: {server: server.origin},
		loginClock,
		signal: abort.signal,
		onLogin: () => abort.abort(),
	});
	await expect(run('login')).rejects.toMatchObject({name: 'AbortError'});
	expect(shown.at(-1)).toBe('closed');
});

test('--with-token asks for an API key, which replaces the tokens', async () => {
	const server = await loginServer({api: knows(first, goodKey)});
	const browser = testContext({flags: {server: server.origin}, loginClock});
	await browser.run('login');
	const {run, shown, asked, context} = testContext({
		like: browser,
		flags: {server: server.origin},
		answers: [goodKey],
	});
	await run('login', '--with-token');
	expect(shown).toEqual([]);
	expect(asked).toEqual([{label: `API key for ${hostOf(server.origin)} (typing is hidden):`, masked: true}]);
	expect(stored(context, server.origin)).toEqual([goodKey, undefined, undefined]);
});

test.each([80, 120])('whoami shows a browser login and its expiry at %d columns [8]', async width => {
	const server = await loginServer({api: knows(first)});
	const login = testContext({flags: {server: server.origin, org: 'acme'}, loginClock});
	await login.run('login');
	const expiresAt = login.context.program.local.config.read().profiles[hostOf(server.origin)]?.expiresAt;
	const result = await testContext({like: login}).run('whoami');
	expect(drawn(result, width).split('\n')).toEqual([
		`profile     ${hostOf(server.origin)}`,
		`server      ${server.origin}`,
		'org         acme',
		'workspace   not selected',
		'project     not selected',
		'credential  login through the browser (file)',
		`expires     ${expiresAt}, then it is renewed`,
	]);
	expect(dataOf(result)).toEqual({
		profile: hostOf(server.origin),
		server: server.origin,
		org: 'acme',
		workspace: null,
		project: null,
		credential: {kind: 'access-token', source: 'file', expires_at: expiresAt, renewable: true},
	});
});

test('a rejected token is renewed once, and the request is repeated', async () => {
	const server = await loginServer({
		tokens: form => granted(form.get('grant_type') === 'refresh_token' ? 2 : 1),
		api: asked => knows(server.polls.length > 1 ? second : first)(asked),
	});
	const login = testContext({flags: {server: server.origin, org: 'acme'}, loginClock});
	await login.run('login');
	// The server drops the first token; later responses accept only the second.
	server.polls.push(new URLSearchParams());
	await testContext({like: login}).run('credits', 'show');
	expect(Object.fromEntries(server.polls.at(-1) ?? [])).toEqual({
		grant_type: 'refresh_token',
		refresh_token: 'refresh-1-0123456789',
		client_id: 'service-cli',
	});
	expect(stored(login.context, server.origin)).toEqual([undefined, second, 'refresh-2-0123456789']);
	await testContext({like: login}).run('whoami');
	expect(server.polls).toHaveLength(3);
});

test('the refresh token stays in use if the server does not rotate it', async () => {
	const server = await loginServer({
		tokens: form => (form.get('grant_type') === 'refresh_token' ? granted(2, {refresh_token: undefined}) : granted()),
		api: asked => knows(server.polls.some(form => form.has('refresh_token')) ? second : first)(asked),
	});
	const login = testContext({flags: {server: server.origin}, loginClock});
	await login.run('login');
	server.polls.push(new URLSearchParams({refresh_token: ''}));
	await testContext({like: login}).run('whoami');
	expect(stored(login.context, server.origin)).toEqual([undefined, second, 'refresh-1-0123456789']);
});

test('an expired login is removed, and the error says how to log in again', async () => {
	let isOver = false;
	const server = await loginServer({
		tokens: form => (form.has('refresh_token') ? refused('invalid_grant') : granted()),
		api: asked => knows(isOver ? 'none' : first)(asked),
	});
	const login = testContext({flags: {server: server.origin, org: 'acme'}, loginClock});
	await login.run('login');
	isOver = true;
	const run = () => testContext({like: login}).run('credits', 'show');
	await expect(run()).rejects.toMatchObject({
		code: 'auth',
		message: `Your login to ${server.origin} has ended.`,
		hint: `Log in again: \`login --server ${server.origin}\``,
	});
	expect(stored(login.context, server.origin)).toEqual([undefined, undefined, undefined]);
	await expect(run()).rejects.toMatchObject({message: `You are not logged in to ${server.origin}.`});
});

test('logout removes the tokens, and the list of profiles shows it', async () => {
	const server = await loginServer({api: knows(first)});
	const login = testContext({flags: {server: server.origin}, loginClock});
	await login.run('login');
	expect(drawn(await login.run('profile', 'list'), 80)).toMatch(/ browser +now/);
	await login.run('logout');
	expect(drawn(await login.run('profile', 'list'), 80)).toMatch(/ logged out +now/);
	expect(stored(login.context, server.origin)).toEqual([undefined, undefined, undefined]);
});
