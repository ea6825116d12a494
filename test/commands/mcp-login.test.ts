import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createOAuthFetch} from '../../src/agent/mcp/oauth/oauth-fetch.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import {statusOfServer} from '../../src/command/mcp/edit-servers.ts';
import type {BrowserLogin} from '../../src/core/question.ts';
import {protectedServer} from '../agent/mcp/authorization-server.ts';
import {dataOf, drawn, type TestContext, testContext} from './context.ts';

type Server = Awaited<ReturnType<typeof protectedServer>>;
type Options = Parameters<typeof testContext>[0];

/** Never opens a browser: there is no program to open one with. */
const noOpener = {DISPLAY: ':none', PATH: '/nowhere', NO_PROXY: '127.0.0.1'};

/** A user whose browser logs in, with the server as `docs`. */
async function loggingIn(server: Server, options: Options = {}) {
	const here = testContext({
		env: noOpener,
		onLogin: ({page}: BrowserLogin) => void server.browse(page),
		...options,
	});
	await here.run('mcp', 'add', '--no-connect', 'docs', server.url);
	return here;
}

const logins = ({home}: TestContext) => JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).mcpLogins ?? {};
const state = async (here: TestContext) => (await statusOfServer(here.context.program.mcp, 'docs')).state;

test('a server that wants a token says so, with the command to type, and is used after the login', async () => {
	const server = await protectedServer();
	const here = await loggingIn(server);
	const before = drawn(await here.run('mcp', 'list', '--check'), 120);
	expect(before).toMatch(/docs +needs login/);
	expect(before).toMatch(/Log in to docs: .*mcp login docs/);

	const result = await here.run('mcp', 'login', 'docs');
	expect(drawn(result, 120)).toContain('Logged in to the MCP server docs. It is ready.');
	expect(here.shown).toEqual([
		expect.objectContaining({code: '', server: `the MCP server docs at ${new URL(server.origin).host}`}),
		'closed',
	]);
	expect(drawn(await here.run('mcp', 'get', 'docs'), 120)).toContain('mcp__docs__whoami');
	// The token is only in requests to the server itself.
	const withToken = server.requests.filter(({authorization}) => authorization !== undefined);
	expect(withToken.length).toBeGreaterThan(0);
	expect(withToken.every(({path}) => path === '/mcp')).toBe(true);
	const page = new URL((here.shown[0] as BrowserLogin).page);
	expect(page.searchParams.get('code_challenge_method')).toBe('S256');
	expect(page.searchParams.get('resource')).toBe(server.url);
	expect(page.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/);
});

test('the login is stored for its URL alone, in a private file or the keychain, and masked [8]', async () => {
	const server = await protectedServer();
	const kept = new Map<string, string>();
	const here = await loggingIn(server, {
		keychain: {
			get: async entry => kept.get(entry),
			set: async (entry, text) => void kept.set(entry, text),
			remove: async entry => void kept.delete(entry),
		},
	});
	expect(drawn(await here.run('mcp', 'login', 'docs'), 120)).toContain('Saved to the keychain.');
	expect(Object.keys(logins(here))).toEqual([server.url]);
	const [access = ''] = server.tokens.access;
	expect(JSON.stringify(logins(here))).not.toContain(access);
	expect([...kept.values()]).toContain(access);

	// The same name with another URL has no login.
	await here.run('mcp', 'remove', 'docs');
	await here.run('mcp', 'add', '--no-connect', 'docs', `${server.origin}/other`);
	await expect(here.run('mcp', 'logout', 'docs')).rejects.toMatchObject({code: 'not-found'});
	expect(kept.size).toBe(2);
});

test('an expired token is refreshed once, and a refused refresh asks for a login again', async () => {
	const server = await protectedServer();
	const here = await loggingIn(server);
	await here.run('mcp', 'login', 'docs');
	server.tokens.access.clear();
	await here.run('mcp', 'get', 'docs');
	expect(await state(here)).toMatchObject({state: 'ready'});
	const refreshes = () => server.requests.filter(({body}) => body.includes('grant_type=refresh_token'));
	expect(refreshes()).toHaveLength(1);
	expect(refreshes()[0]?.body).toContain(`resource=${encodeURIComponent(server.url)}`);

	server.tokens.access.clear();
	server.tokens.refresh.clear();
	await here.run('mcp', 'get', 'docs');
	expect(await state(here)).toEqual({state: 'failed', reason: 'its login has expired', needsLogin: true});
});

test('a token that expires soon is refreshed before it is sent', async () => {
	const server = await protectedServer({expiresIn: 1});
	const here = await loggingIn(server);
	await here.run('mcp', 'login', 'docs');
	expect(await state(here)).toMatchObject({state: 'ready'});
	expect(server.requests.filter(({body}) => body.includes('refresh_token')).length).toBeGreaterThan(1);
	expect(server.requests.filter(({path, authorization}) => path === '/mcp' && !authorization)).toHaveLength(1);
});

test('a logout removes the login here and revokes it there', async () => {
	const server = await protectedServer();
	const here = await loggingIn(server);
	await here.run('mcp', 'login', 'docs');
	expect(dataOf(await here.run('mcp', 'logout', 'docs'))).toEqual({name: 'docs', revoked: true});
	expect(server.tokens.refresh.size).toBe(0);
	expect(logins(here)).toEqual({});
	await expect(here.run('mcp', 'logout', 'docs')).rejects.toMatchObject({
		message: 'You are not logged in to the MCP server docs.',
	});
	await here.run('mcp', 'get', 'docs');
	expect(await state(here)).toMatchObject({reason: 'it needs a login', needsLogin: true});
});

test('without a browser the user pastes the address that theirs ends on', async () => {
	const server = await protectedServer();
	let address = '';
	const asked: string[] = [];
	const here = await loggingIn(server, {env: {NO_PROXY: '127.0.0.1'}, onLogin: () => undefined});
	const interact = {
		...here.context.ui.interact,
		async ask({label}: {readonly label: string}) {
			asked.push(label);
			if (asked.length === 1) {
				return 'https://example.com/?code=1&state=2';
			}

			const {page} = here.shown[0] as BrowserLogin;
			address = await server.browse(page, {follows: false});
			return ` ${address} `;
		},
	};
	await dispatch(['mcp', 'login', 'docs'], {...here.context, ui: {...here.context.ui, interact}});
	expect(asked).toHaveLength(2);
	expect(here.said).toContain('That is not the address of this login: it begins with http://127.0.0.1 and has a code.');
	expect(await state(here)).toMatchObject({state: 'ready'});
});

test('Esc cancels, and another page of the browser does not end the login', async () => {
	const server = await protectedServer();
	const here = await loggingIn(server, {
		onLogin({page}, cancel) {
			const redirect = new URL(page).searchParams.get('redirect_uri') ?? '';
			void Promise.all([
				fetch(`${redirect}?code=evil&state=wrong`),
				fetch(redirect),
				fetch(new URL('/', redirect)),
			]).then(answers => {
				here.said.push(answers.map(({status}) => status).join());
				cancel();
			});
		},
	});
	expect(drawn(await here.run('mcp', 'login', 'docs'), 80)).toBe('Login cancelled. Nothing changed.');
	expect(here.said).toContain('400,400,400');
	expect(server.requests.some(({path}) => path === '/token')).toBe(false);
});

test('a login that the user refuses on the page is told', async () => {
	const server = await protectedServer();
	const here = await loggingIn(server, {
		onLogin({page}) {
			const {searchParams} = new URL(page);
			const query = new URLSearchParams({
				state: searchParams.get('state') ?? '',
				error: 'access_denied',
				error_description: 'You said no\u001b[2J.',
			});
			void fetch(`${searchParams.get('redirect_uri')}?${query}`);
		},
	});
	await expect(here.run('mcp', 'login', 'docs')).rejects.toMatchObject({
		...{code: 'auth', message: 'The login was refused: You said no␛[2J.'},
	});
});

const elsewhere = 'https://login.evil.example';

test.each<[string, Parameters<typeof protectedServer>[0], string]>([
	['metadata of another issuer', {metadata: known => ({...known, issuer: elsewhere})}, 'Issuer mismatch'],
	[
		'a token endpoint without TLS',
		{metadata: known => ({...known, token_endpoint: 'http://evil.example/token'})},
		'token',
	],
	[
		'a login page without TLS',
		{metadata: known => ({...known, authorization_endpoint: 'http://evil.example/a'})},
		'not safe',
	],
	[
		'a login page that is a script',
		{metadata: known => ({...known, authorization_endpoint: 'javascript:alert(1)'})},
		'',
	],
	['no PKCE', {metadata: known => ({...known, code_challenge_methods_supported: ['plain']})}, 'does not support PKCE'],
	['the metadata of another resource', {resource: 'https://other.example/mcp'}, 'that of another server'],
	['a redirect instead of tokens', {answers: {'/token': () => ({status: 307, headers: {location: elsewhere}})}}, ''],
	[
		'endless metadata',
		{answers: {'/.well-known/oauth-authorization-server': () => ({body: `{"a":"${'x'.repeat(3_000_000)}"}`})}},
		'',
	],
	[
		'tokens that are none',
		{answers: {'/token': () => ({headers: {'content-type': 'application/json'}, body: '{"access_token":7}'})}},
		'',
	],
])('a server with %s gets no login [6]', async (_, options, reason) => {
	const server = await protectedServer(options);
	const here = await loggingIn(server);
	const failed = here.run('mcp', 'login', 'docs');
	await expect(failed).rejects.toMatchObject({name: 'AppError'});
	await expect(failed).rejects.toThrow(new RegExp(reason));
	expect(readFileSync(join(here.home, 'mcp.json'), 'utf8')).toContain(server.url);
	await expect(here.run('mcp', 'logout', 'docs')).rejects.toMatchObject({code: 'not-found'});
});

test('a server without a login, and one that is a command, are told apart', async () => {
	const server = await protectedServer({answers: {'/mcp': () => ({status: 200})}});
	const here = await loggingIn(server);
	await expect(here.run('mcp', 'login', 'docs')).rejects.toMatchObject({
		message: `${new URL(server.origin).host} asks for no login (status 200).`,
	});
	await here.run('mcp', 'add', '--no-connect', 'files', '--', 'npx', 'files');
	await expect(here.run('mcp', 'login', 'files')).rejects.toMatchObject({code: 'usage'});
});

test('a server elsewhere cannot send requests to this machine, and nothing goes over plain HTTP', async () => {
	const {fetch, close} = createOAuthFetch({server: new URL('https://mcp.example.com/mcp'), env: {}, version: '0'});
	await expect(fetch('http://127.0.0.1:1/token')).rejects.toMatchObject({
		message: 'mcp.example.com names an address of this machine for the login. Refused.',
	});
	await expect(fetch('https://localhost:1/token')).rejects.toMatchObject({code: 'usage'});
	await expect(fetch('http://login.example.com/token')).rejects.toThrow('Refusing plain HTTP');
	await close();
});
