import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {createFloodGuard} from '../../../src/agent/tools/child/serving-child.ts';
import {folderWith} from '../../e2e/program.ts';
import {hostileLines} from '../../hostile-json.ts';
import {startPeer} from './http-peer.ts';
import {hostile, node, official, openServers} from './servers.ts';

const scripted = fileURLToPath(new URL('scripted-server.mjs', import.meta.url));

const text = /[\p{Cc}\u202E\u200B]/u;

test('names and descriptions are made safe, unique and short [1]', async () => {
	const {servers} = openServers({'Bad server!': node(hostile, 'names')});
	const tools = await servers.tools();
	expect(new Set(tools.map(({name}) => name)).size).toBe(5);
	for (const {name, description} of tools) {
		expect(name).toMatch(/^mcp__Bad_server___[\w-]+$/);
		expect(name.length).toBeLessThanOrEqual(64);
		expect(description).not.toMatch(text);
	}
});

test('no two tools have one name, which providers would refuse', async () => {
	const {servers, status} = openServers({
		twins: node(hostile, 'twins'),
		...{a: node(hostile, 'b__c'), a__b: node(hostile, 'c')},
	});
	expect((await servers.tools()).map(({name}) => name)).toEqual(['mcp__twins__twin', 'mcp__a__b__c']);
	const fault = 'The tool twin is listed more than once: only the first one is used.';
	expect((await status('twins')).faults).toEqual([fault, fault]);
});

test('long descriptions are cut, endless schemas shortened, and tools beyond 1000 are left out', async () => {
	const {servers, status} = openServers({large: node(hostile, 'large'), many: node(hostile, 'many')});
	const tools = await servers.tools();
	expect(tools.find(({name}) => name === 'mcp__large__described')?.description.length).toBeLessThanOrEqual(2000);
	expect((await status('large')).faults).toEqual([
		'The tool detailed was repaired: its arguments are described at too great length.',
	]);
	expect((await status('many')).tools).toHaveLength(1000);
	expect((await status('many')).faults).toEqual(['Only 1000 of its 2000 tools are used.']);
});

test('lines that are no messages go to the log', async () => {
	const {call, status} = openServers({loud: node(hostile, 'garbage')});
	expect(await call('mcp__loud__ok')).toBe('ok \u001b[2J');
	expect((await status('loud')).log[0]).toBe('Not a message: Listening on stdio!');
});

/** However slow the machine is, what comes is a flood by a clock that stands still. */
const slowly = {now: () => 0};

/** Reads the first message and no other one, then answers it. */
const mute = 'read -r _; exec 0<&-; printf "%s\\n" "$1"; sleep 1000';

test('[24] whatever a server sends in place of any part of any message, it costs a call at most', async () => {
	const part = {type: 'resource', resource: {uri: 'a', text: 'b'}};
	const asked = {message: 'a', requestedSchema: {type: 'object', properties: {a: {type: 'string', enum: ['b']}}}};
	const messages = [
		{jsonrpc: '2.0', id: 'none', result: {content: [part]}},
		{jsonrpc: '2.0', id: 'none', error: {code: 1, message: 'a', data: {}}},
		{jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: asked},
		{jsonrpc: '2.0', id: 2, method: 'roots/list', params: {}},
		{jsonrpc: '2.0', id: 3, method: 'sampling/createMessage', params: {messages: [], maxTokens: 1}},
		{jsonrpc: '2.0', method: 'notifications/message', params: {level: 'info', data: {a: 'b'}}},
		{jsonrpc: '2.0', method: 'notifications/progress', params: {progressToken: 1, progress: 2}},
		{jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: 1}},
	];
	const before = join(folderWith({'lines.jsonl': `${messages.flatMap(hostileLines).join('\n')}\n`}), 'lines.jsonl');
	const s = {...node(scripted, JSON.stringify({beforeCalls: before})), timeout: 20_000};
	const {call, status} = openServers({s}, {ask: async () => undefined});
	// One that knows no id is the answer to the only request.
	expect(await call('mcp__s__ok')).toMatch(/^(?:fine|a:\nb)$/);
	expect((await status('s')).state.state).toBe('ready');

	const bodies = [
		{jsonrpc: '2.0', id: '@id', result: {content: [part]}},
		{jsonrpc: '2.0', id: '@id', error: {code: -32_000, message: 'a'}},
	].flatMap(hostileLines);
	let body = '';
	let lists = 0;
	const peer = await startPeer({
		tools: () => ['echo'],
		answer({id, method}, response) {
			const hostile = method === 'tools/call' ? body : '';
			const line = hostile.replaceAll('"@id"', JSON.stringify(id));
			lists += method === 'tools/list' ? 1 : 0;
			return hostile !== '' && Boolean(response.writeHead(200, {'content-type': 'application/json'}).end(line));
		},
	});
	const http = openServers({s: {type: 'http', url: peer.url}}, {ask: async () => undefined});
	for (body of bodies) {
		const said = await http.call('mcp__s__echo').catch((error: Error) => error.message);
		expect(said).not.toMatch(/call stack/);
	}

	body = '';
	expect(await http.call('mcp__s__echo')).toBe('called');
	expect(lists).toBe(1);
});

test('a server that closes its input is ended', async () => {
	const info = {protocolVersion: '2025-06-18', capabilities: {tools: {}}, serverInfo: {name: 'mute', version: '1'}};
	const answer = JSON.stringify({jsonrpc: '2.0', id: 0, result: info});
	const {servers, status} = openServers({mute: {command: 'sh', args: ['-c', mute, 'sh', answer]}});
	await servers.tools();
	await expect.poll(async () => (await status('mute')).state.state).toBe('failed');
	expect((await status('mute')).state).toMatchObject({reason: expect.stringMatching(/reads no more/)});
});

test.each([
	['flood', 'it sent more than anything could read'],
	['endless', 'it sent a message of more than 8 MB'],
])('a server that sends a %s is ended, and costs its own tools alone', async (what, reason) => {
	const {servers, status} = openServers({loud: node(hostile, what), files: node(official)}, slowly);
	expect((await servers.tools()).every(({name}) => name.startsWith('mcp__files__'))).toBe(true);
	await expect.poll(async () => (await status('loud')).state).toMatchObject({state: 'failed', reason});
});

test.each(['hang', 'deaf'])('a server that never answers (%s) holds up no run for long, and is ended', async what => {
	const {servers, status} = openServers({late: node(hostile, what), files: node(official)}, {joinTimeoutMs: 200});
	const stop = new AbortController();
	// Esc ends the wait at once.
	stop.abort();
	await servers.tools(stop.signal);
	await expect.poll(async () => (await status('files')).state.state).toBe('ready');
	expect((await servers.tools()).length).toBe(7);
	expect(servers.warnings()).toEqual([
		{text: 'The MCP server late is still starting. Its tools join when it is ready.'},
	]);
	await servers.end();
});

test('a flood of standard error ends the server, and its log stays short', async () => {
	const {servers, status} = openServers({loud: node(hostile, 'complaints'), files: node(official)}, slowly);
	expect((await servers.tools()).every(({name}) => name.startsWith('mcp__files__'))).toBe(true);
	const state = {state: 'failed', reason: expect.stringMatching(/^it sent more than anything could read/)};
	await expect.poll(async () => (await status('loud')).state).toMatchObject(state);
	const {log} = await status('loud');
	expect(log.length).toBeLessThanOrEqual(500);
	expect(Math.max(...log.map(line => line.length))).toBeLessThanOrEqual(2000);
});

test('an answer after the time limit of its call is dropped, and the next call gets its own', async () => {
	const {call, status} = openServers({slow: {...node(hostile, 'late'), timeout: 1000}});
	await expect(call('mcp__slow__ok')).rejects.toMatchObject({
		code: 'failed',
		message: expect.stringContaining('did not answer for 1 s'),
	});
	expect(await call('mcp__slow__ok')).toBe('ok \u001b[2J');
	expect((await status('slow')).state.state).toBe('ready');
});

test('a second answer to a call is dropped, and the next call gets its own', async () => {
	const {call} = openServers({twice: node(hostile, 'twice')});
	await call('mcp__twice__ok');
	expect(await call('mcp__twice__ok')).toBe('ok \u001b[2J');
});

test('a server may send much at once, but not for ever', () => {
	let now = 0;
	const {allows} = createFloodGuard(() => now);
	expect(allows(60_000_000)).toBe(true);
	expect(allows(10_000_000)).toBe(false);
	now = 60_000;
	expect(allows(10_000_000)).toBe(true);
});
