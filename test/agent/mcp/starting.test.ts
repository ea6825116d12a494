import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {createServer} from '../../../src/agent/mcp/server.ts';
import {startPeer} from './http-peer.ts';
import {node, openServers} from './servers.ts';

const scripted = fileURLToPath(new URL('scripted-server.mjs', import.meta.url));
const silent = node(scripted, JSON.stringify({answers: {initialize: null}}));
const never = () => undefined;

test('where nothing can join later, a server is waited for as long as it may take to start, and named', async () => {
	const {servers} = openServers({late: silent}, {startTimeoutMs: 300});
	expect(await servers.tools(undefined, never, () => undefined)).toEqual([]);
	const [warning] = servers.warnings();
	expect(warning?.text).toMatch(
		/^The MCP server late (?:was not ready after 0\.3 s|is not running: it did not answer within)/,
	);
});

test('an interrupt ends the wait', async () => {
	const {servers} = openServers({late: silent});
	const stop = new AbortController();
	const waiting = servers.tools(stop.signal, never, () => undefined);
	stop.abort();
	expect(await waiting).toEqual([]);
	expect(servers.warnings()[0]?.text).toContain('The MCP server late');
});

test('a server elsewhere that could not be reached is tried again by itself, and its tools join', async () => {
	const peer = await startPeer();
	await peer.stop();
	let now = 0;
	const {servers} = openServers({s: {url: peer.url}}, {now: () => now});
	expect(await servers.tools()).toEqual([]);
	expect(servers.warnings()).toHaveLength(1);
	await peer.start();
	expect(await servers.tools()).toEqual([]);
	now = 20_000;
	await expect.poll(async () => (await servers.tools()).map(({name}) => name)).toEqual(['mcp__s__echo']);
	expect(servers.warnings()).toEqual([]);
});

test('a command that ends again and again is started once a minute, however often it is asked', async () => {
	let now = 0;
	let starts = 0;
	const server = createServer({
		name: 's',
		hide: text => text,
		isRemote: false,
		now: () => now,
		async open() {
			starts++;
			throw new Error('it ended with status 1');
		},
	});
	server.start();
	await server.settled();
	const call = () => server.resources(undefined).catch(({message}) => message);
	for (let round = 0; round < 5; round++) {
		expect(await call()).toBe('The MCP server s is not running: it ended with status 1.');
	}

	expect(starts).toBe(2);
	now = 61_000;
	await Promise.all([call(), call()]);
	expect(starts).toBe(3);
});
