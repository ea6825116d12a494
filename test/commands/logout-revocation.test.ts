import {expect, test} from 'vitest';
import {saveProfile} from '../../src/config/profiles.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {fastClock, loginServer} from '../client/login-server.ts';
import {type Reply, scripted} from '../client/server.ts';
import {memoryKeychain} from '../config/memory-keychain.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey, platform} from './platform.ts';

const loginClock = fastClock();
const api = () => ({body: '{"models":[]}'});
const access = 'access-1-0123456789';
const refresh = 'refresh-1-0123456789';

type Options = {
	readonly revocation?: Reply | 'cut';
	readonly metadata?: () => object;
	readonly signal?: AbortSignal;
};

/** Returns a browser login with its secrets in a keychain. */
async function loggedIn({signal, ...options}: Options = {}) {
	const server = await loginServer({api, ...options});
	const far = memoryKeychain();
	const flags = {server: server.origin, profile: 'lab'};
	const first = testContext({flags, loginClock, keychain: far.keychain});
	await first.run('login');
	const context = testContext({like: first, loginClock, keychain: far.keychain, ...(signal && {signal})});
	const forms = () =>
		server.asked
			.filter(({url}) => url.pathname === '/oauth/revoke')
			.map(({body}) => Object.fromEntries(new URLSearchParams(body.toString())));
	return {server, far, forms, ...context};
}

/** True if a part of the login is still stored. */
const isForgotten = ({context, far}: Awaited<ReturnType<typeof loggedIn>>) =>
	far.entries.size === 0 && context.program.local.config.read().profiles['lab']?.accessToken === undefined;

test('logout revokes both tokens, the refresh token first, and sends no other credential', async () => {
	const login = await loggedIn({revocation: {body: ''}});
	const result = await login.run('logout');
	expect(drawn(result, 80)).toBe(`Logged out of ${login.server.origin}.`);
	expect(dataOf(result)).toEqual({profile: 'lab', logged_out: true, tokens_revoked: true});
	expect(login.forms()).toEqual([
		{token: refresh, token_type_hint: 'refresh_token', client_id: 'service-cli'},
		{token: access, token_type_hint: 'access_token', client_id: 'service-cli'},
	]);
	const headers = login.server.asked.filter(({url}) => url.pathname === '/oauth/revoke').map(asked => asked.headers);
	expect(headers.map(({authorization}) => authorization)).toEqual([undefined, undefined]);
	expect(isForgotten(login)).toBe(true);
});

test.each([
	['no revocation endpoint', {}, 'the server doesn’t offer revocation'],
	['an error', {revocation: {status: 500, body: `<h1>${refresh}</h1>`}}, 'the server answered 500'],
	['a refusal', {revocation: {status: 400, body: '{"error":"unsupported_token_type"}'}}, 'the server answered 400'],
	['a redirect', {revocation: {status: 307, headers: {location: 'https://b.test/'}}}, undefined],
	['a cut connection', {revocation: 'cut'}, undefined],
] as const)('%s is said in one clause, and the login is forgotten here [8]', async (_name, options, why) => {
	const login = await loggedIn(options);
	const result = await login.run('logout');
	const text = drawn(result, 400);
	expect(text).toMatch(/^Logged out of http:\S+, but its tokens weren't revoked: [^\n]+\.$/);
	expect(text).toContain(why ?? "its tokens weren't revoked");
	expect(text).not.toContain(refresh);
	expect(dataOf(result)).toEqual({profile: 'lab', logged_out: true, tokens_revoked: false});
	expect(isForgotten(login)).toBe(true);
});

test('no token goes to a revocation endpoint of another origin [6]', async () => {
	const other = await scripted(() => ({body: ''}));
	const login = await loggedIn({metadata: () => ({revocation_endpoint: `${other.origin}/oauth/revoke`})});
	expect(drawn(await login.run('logout'), 400)).toBe(
		`Logged out of ${login.server.origin}, but its tokens weren't revoked: the server’s revocation address is on another host; nothing was sent.`,
	);
	expect([other.asked, login.forms()]).toEqual([[], []]);
	expect(isForgotten(login)).toBe(true);
});

test('logout works if the server is unreachable', async () => {
	const flags = {profile: 'lab'};
	const far = memoryKeychain();
	const {run, context} = testContext({flags, keychain: far.keychain});
	await saveProfile(context.program.local.config, {
		name: 'lab',
		server: 'http://127.0.0.1:1',
		accessToken: secret(access),
	});
	const result = await run('logout');
	expect(drawn(result, 400)).toMatch(/^Logged out of http:\/\/127\.0\.0\.1:1, but its tokens weren't revoked: /);
	expect([far.entries.size, dataOf(result)]).toEqual([0, {profile: 'lab', logged_out: true, tokens_revoked: false}]);
});

test('interrupting the revocation still logs out [21]', async () => {
	const login = await loggedIn({revocation: {body: ''}, signal: AbortSignal.abort()});
	expect(drawn(await login.run('logout'), 400)).toMatch(/, but its tokens weren't revoked: interrupted\.$/);
	expect([login.forms(), isForgotten(login)]).toEqual([[], true]);
});

test('a locked keychain is reported, nothing is sent, and the login is removed here', async () => {
	const login = await loggedIn({revocation: {body: ''}});
	login.far.state.fault = "The keychain didn't answer within 3 seconds.";
	expect(drawn(await login.run('logout'), 400)).toBe(
		`Logged out of ${login.server.origin}, but its tokens weren't revoked: can't read a secret from the keychain: the keychain didn't answer within 3 seconds, and the keychain still has its secrets: the keychain didn't answer within 3 seconds.`,
	);
	expect([login.forms(), login.context.program.local.config.read().profiles['lab']?.accessToken]).toEqual([
		[],
		undefined,
	]);
});

test('logout does not revoke an API key and says that it is still valid', async () => {
	const server = await platform();
	const {run} = testContext({flags: {server: server.origin}});
	await run('login', goodKey);
	const before = server.seen.length;
	expect(await run('logout')).toMatchObject({
		text: `Logged out of ${server.origin}.`,
		hint: 'The API key is still valid on the server. Revoke it there, or log in and run `api-key revoke <key>`.',
	});
	expect(server.seen.length).toBe(before);
});
