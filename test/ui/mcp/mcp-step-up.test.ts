import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {Panel} from '../../../src/ui/panels/panels.ts';
import {protectedServer} from '../../agent/mcp/authorization-server.ts';
import {connectedTo} from '../../e2e/chat.ts';
import {runInProcess} from '../../e2e/in-process.ts';
import {type Answer, startModelHost} from '../../e2e/model-host.ts';
import {folderWith} from '../../e2e/program.ts';
import {realApp, replies} from '../prompt/real-app.ts';

type Server = Awaited<ReturnType<typeof protectedServer>>;

const noOpener = {DISPLAY: ':none', PATH: '/nowhere', NO_PROXY: '127.0.0.1'};
const writes = ({call, finish}: Answer) => {
	call('mcp__docs__write', {});
	finish('tool_calls');
};
const filesOf = (server: Server) => ({
	'mcp.json': JSON.stringify({mcpServers: {docs: {type: 'http', url: server.url}}}),
	'config.json': server.loggedIn(),
});
const loginIn = (home: string, server: Server) =>
	JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).mcpLogins[server.url];

/** An app whose user is logged in for reading alone, after they allowed the first call of `write`. */
async function writing(options: Parameters<typeof protectedServer>[0] = {}, calls = 1) {
	const server = await protectedServer(options);
	const app = await realApp({columns: 100, own: filesOf(server), env: noOpener});
	app.host.answerWith(...Array.from({length: calls}, () => writes), replies);
	await app.waitFor('custom/alpha');
	app.type('Write it\r');
	await app.waitFor('Call write of the MCP server docs?');
	await app.answer('s');
	await app.waitFor('Press s again to keep');
	await app.answer('s');
	return {
		...app,
		server,
		results: () => app.lastMessages().filter(({role}) => role === 'tool'),
		/** Waits for the login panel. Returns its page. */
		async page(): Promise<string> {
			await expect.poll(() => app.store.getState().panel?.kind).toBe('device');
			const panel = app.store.getState().panel as Panel | undefined;
			return panel?.kind === 'device' ? panel.page : '';
		},
	};
}

test('a call that needs more scopes asks for a login with all of them, and is made once more', async () => {
	const {waitFor, answer, server, page, results, home} = await writing();
	await waitFor('? The MCP server docs refused write: its login lacks the scope files:write.');
	await waitFor('Log in again to ask for it?');
	await answer('1\r');
	const address = await page();
	expect(new URL(address).searchParams.get('scope')).toBe('mcp:tools files:write');
	await server.browse(address);
	await waitFor('Understood.');
	expect(results()).toEqual([expect.objectContaining({content: 'Written.'})]);
	expect(loginIn(join(home, 'state'), server)).toMatchObject({scope: 'mcp:tools files:write'});
	expect(loginIn(join(home, 'state'), server)).not.toHaveProperty('wantedScope');
});

test('a user who does not log in is told the command that asks for the scopes, once', async () => {
	const {waitFor, answer, type, results, server, page} = await writing({}, 2);
	await waitFor('Log in again to ask for it?');
	await answer('\r');
	await waitFor('Understood.');
	await waitFor('! The MCP server docs refused write: its login lacks the scope files:write.');
	await waitFor('Ask for it: /mcp login docs');
	// The second call asks nobody.
	expect(results()).toHaveLength(2);
	expect(JSON.stringify(results())).toContain('its login lacks the scope files:write');
	type('/mcp login docs\r');
	const address = await page();
	expect(new URL(address).searchParams.get('scope')).toBe('mcp:tools files:write');
	await server.browse(address);
	await waitFor('Logged in to the MCP server docs.');
});

test('a server that wants other scopes each time is asked about twice, never in a loop', async () => {
	let count = 0;
	const challenge = () => `Bearer error="insufficient_scope", scope="scope-${++count}"`;
	const {waitFor, answer, server, page, results} = await writing({challenge}, 5);
	for (const scope of ['scope-1', 'scope-3']) {
		await waitFor(`lacks the scope ${scope}.`);
		await answer('1\r');
		await server.browse(await page());
	}

	await waitFor('Understood.');
	expect(results()).toHaveLength(5);
	// Two calls were made once more.
	expect(count).toBe(7);
});

test.each([
	['a refused scope', {refuses: 'files:write'}, 'The login was refused: invalid_scope.'],
	['a login that is cancelled', {}, 'Ask for it: /mcp login docs'],
])('%s fails the call alone, and the next login asks for it no longer than it helps', async (what, options, words) => {
	const {waitFor, answer, type, server, page, results, home} = await writing(options);
	await waitFor('Log in again to ask for it?');
	await answer('1\r');
	const address = await page();
	if (what === 'a refused scope') {
		await server.browse(address);
	} else {
		type('\u001b');
	}

	await waitFor('Understood.');
	await waitFor(words);
	expect(JSON.stringify(results())).toContain('its login lacks the scope files:write');
	expect(loginIn(join(home, 'state'), server).wantedScope).toBe(what === 'a refused scope' ? undefined : 'files:write');
});

test('without a screen the call fails, with a note that names the scopes and the command', async () => {
	const server = await protectedServer();
	const host = await startModelHost();
	host.answerWith(writes, replies);
	const {env, args} = connectedTo(host);
	const home = folderWith(filesOf(server));
	const place = {env: {...env, NO_PROXY: '127.0.0.1'}, home};
	const {status, stdout, stderr} = await runInProcess([...args, '-p', 'write', '--allow', 'mcp(docs:*)'], place);
	expect({status, stdout}).toEqual({status: 0, stdout: 'Understood.\n'});
	expect(stderr).toContain('The MCP server docs refused write: its login lacks the scope files:write.');
	expect(stderr).toContain('Ask for it: service mcp login docs');
	expect(loginIn(home, server).wantedScope).toBe('files:write');
});
