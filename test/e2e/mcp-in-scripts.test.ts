import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {startPeer} from '../agent/mcp/http-peer.ts';
import {connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost, unusedAddress} from './model-host.ts';
import {folderWith} from './program.ts';

const homeWith = (servers: object) => folderWith({'mcp.json': JSON.stringify({mcpServers: servers})});

const dies = {
	command: process.execPath,
	args: ['-e', 'console.error("Error: DATABASE_URL is not set"); process.exit(4)'],
};

test('a prompt of a script has the tools of a server, whose session ends with it', async () => {
	const peer = await startPeer({isSingle: true});
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const place = {home: homeWith({single: {url: peer.url}}), env};
	for (let run = 0; run < 2; run++) {
		host.answerWith(({say, finish}) => {
			say('Done.');
			finish();
		});
		expect(await runInProcess([...args, '-p', 'Hi'], place)).toMatchObject({status: 0, stderr: ''});
		expect(peer.sessions.size).toBe(0);
		expect(host.received.at(-1)?.body).toContain('mcp__single__echo');
	}

	expect(peer.methods().filter(method => method === 'DELETE')).toHaveLength(2);
});

test('a script is told why a server is missing', async () => {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	host.answerWith(({say, finish}) => {
		say('Done.');
		finish();
	});
	const {stderr} = await runInProcess([...args, '-p', 'Hi'], {home: homeWith({db: dies}), env});
	expect(stderr).toContain(
		'The MCP server db is not running: it ended with status 4 (Error: DATABASE_URL is not set).',
	);
});

test.each([
	['ends', dies, 1, 'it ended with status 4 (Error: DATABASE_URL is not set)'],
	['is not there', {command: '/nowhere/at-all'}, 1, 'its command was not found'],
	['can’t be reached', {url: `${await unusedAddress()}/mcp`}, 6, 'Nothing is listening on http://127.0.0.1:'],
])('`mcp get` of a server that %s shows it, says why, and fails', async (_, entry, status, reason) => {
	const home = homeWith({db: entry});
	const shown = await runInProcess(['mcp', 'get', 'db'], {home});
	expect(shown.status).toBe(status);
	expect(shown.stdout).toContain('MCP server db');
	expect(shown.stderr).toContain(`service: The MCP server db is not running: ${reason}`);
	const json = await runInProcess(['mcp', 'get', 'db', '--json'], {home});
	expect(json.status).toBe(status);
	expect(JSON.parse(json.stdout)).toMatchObject({name: 'db', state: 'failed', error: expect.stringContaining(reason)});
	expect(JSON.parse(json.stderr)).toMatchObject({error: {message: expect.stringContaining(reason)}});
});

const scripted = join(import.meta.dirname, '../agent/mcp/scripted-server.mjs');
const kept = (home: string) => Object.keys(JSON.parse(readFileSync(join(home, 'mcp.json'), 'utf8')).mcpServers);

test('`mcp add` connects at once, and says what the tools cost, to a person and to a program', async () => {
	const home = folderWith({});
	const shown = await runInProcess(['mcp', 'add', 'docs', '--', process.execPath, scripted], {home});
	expect(shown).toMatchObject({status: 0, stderr: ''});
	expect(shown.stdout).toMatch(/^✓ docs: 1 tool, \d+ tokens, [\d.]+ m?s\n/);
	const json = await runInProcess(['mcp', 'add', 'two', '--json', '--', process.execPath, scripted], {home});
	expect(JSON.parse(json.stdout)).toMatchObject({
		...{name: 'two', scope: 'user', state: 'ready', error: null},
		tools: [{name: 'mcp__two__ok', tokens: expect.any(Number)}],
		took_ms: expect.any(Number),
	});
	expect(kept(home)).toEqual(['docs', 'two']);
});

test.each([
	['ends', ['--', dies.command, ...dies.args], 1, 'it ended with status 4 (Error: DATABASE_URL is not set)'],
	['can’t be reached', [`${await unusedAddress()}/mcp`], 6, 'Nothing is listening on http://127.0.0.1:'],
])('`mcp add` of a server that %s fails with its own words, and keeps the entry', async (_, target, status, reason) => {
	const home = folderWith({});
	const shown = await runInProcess(['mcp', 'add', 'db', ...target], {home});
	expect(shown.status).toBe(status);
	expect(shown.stdout).toMatch(/^Added the MCP server db: /);
	expect(shown.stderr).toContain(`service: The MCP server db is not running: ${reason}`);
	expect(shown.stderr).toContain('Try again: service mcp get db, or remove it: service mcp remove db');
	expect(kept(home)).toEqual(['db']);
	const json = await runInProcess(['mcp', 'add', 'other', '--json', ...target], {home});
	expect(JSON.parse(json.stdout)).toMatchObject({
		name: 'other',
		state: 'failed',
		error: expect.stringContaining(reason),
	});
	expect(JSON.parse(json.stderr)).toMatchObject({error: {message: expect.stringContaining(reason)}});
});

test('`mcp add --no-connect` only writes the entry', async () => {
	const home = folderWith({});
	const shown = await runInProcess(['mcp', 'add', 'db', '--no-connect', '--', dies.command, ...dies.args], {home});
	expect(shown).toMatchObject({status: 0, stderr: ''});
	expect(shown.stdout).toContain('Check it: service mcp get db');
	expect(kept(home)).toEqual(['db']);
});
