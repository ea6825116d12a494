import {describe, expect, test} from 'vitest';
import {lenientFetch} from '../../../src/agent/mcp/lenient-transport.ts';
import {startPeer} from './http-peer.ts';
import {node, official, openServers} from './servers.ts';

const texts = (warnings: ReadonlyArray<{readonly text: string}>) => warnings.map(({text}) => text);

test.each([
	['text/event-stream', 'application/json', 405],
	['application/json, text/event-stream', 'text/html', 405],
	['text/event-stream', 'text/event-stream', 200],
	['application/json', 'application/json', 200],
])('what is asked for as %s and comes as %s is read as status %d', async (accept, type, status) => {
	const fetch = lenientFetch(async () => new Response('{}', {headers: {'content-type': type}}));
	expect((await fetch('http://host.test/mcp', {method: 'GET', headers: {accept}})).status).toBe(status);
});

describe('a server over HTTP that has forgotten its sessions', () => {
	test.each([
		['404', {status: 404, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'}],
		['404 without words', {status: 404, body: ''}],
		['400 with words', {status: 400, body: 'Bad Request: No valid session ID provided'}],
		[
			'400 of another SDK',
			{status: 400, body: '{"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}'},
		],
		['401 with words', {status: 401, body: 'Unauthorized: Session not found'}],
		['503 with words', {status: 503, body: '{"error":"Unknown session"}'}],
		['400 for a session that has expired', {status: 400, body: 'session expired'}],
	])('gets a new one after %s, and the call is made once more', async (_, refusal) => {
		const peer = await startPeer({refusal});
		const {call, status} = openServers({s: {url: peer.url}});
		expect(await call('mcp__s__echo')).toBe('called');
		peer.forget();
		expect(await call('mcp__s__echo')).toBe('called');
		expect(peer.calls).toEqual(['echo', 'echo']);
		expect(peer.methods().filter(method => method === 'initialize')).toHaveLength(2);
		expect(peer.methods().filter(method => method === 'tools/list')).toHaveLength(2);
		expect((await status('s')).state.state).toBe('ready');
		expect(peer.sessions.size).toBe(1);
	});

	test('is asked no third time', async () => {
		const peer = await startPeer({
			answer: ({method}, response) => method === 'tools/call' && Boolean(response.writeHead(404).end()),
		});
		const {call} = openServers({s: {url: peer.url}});
		await expect(call('mcp__s__echo')).rejects.toMatchObject({code: 'failed'});
		expect(peer.methods().filter(method => method === 'tools/call')).toHaveLength(2);
	});

	test('that has other tools now: those are listed, and the user is told', async () => {
		let tools = ['echo', 'old'];
		const peer = await startPeer({tools: () => tools});
		const {call, servers} = openServers({s: {url: peer.url}});
		await call('mcp__s__echo');
		tools = ['echo', 'new'];
		peer.forget();
		const notices: string[] = [];
		await call('mcp__s__echo', {}, {onNotice: text => notices.push(text)});
		expect(notices).toEqual(['The MCP server s began a new session. Its tools changed: added new; removed old.']);
		expect((await servers.tools()).map(({name}) => name)).toEqual(['mcp__s__echo', 'mcp__s__new']);
		expect(servers.warnings()).toEqual([]);
	});

	test.each([
		['a 404 of something else', {status: 404, body: 'No such page'}],
		['a 400 of something else', {status: 400, body: 'The field x is missing'}],
	])('is told from %s to a call without a session', async (_, refusal) => {
		const peer = await startPeer({
			answer: ({method}, response) =>
				method === 'tools/call' && Boolean(response.writeHead(refusal.status).end(refusal.body)),
		});
		const {call} = openServers({s: {url: peer.url}});
		await expect(call('mcp__s__echo')).rejects.toMatchObject({
			code: 'failed',
			message: expect.stringContaining(`status ${refusal.status}: ${refusal.body}`),
		});
		expect(peer.methods().filter(method => method === 'tools/call').length).toBeLessThanOrEqual(2);
	});
});

describe('a server over HTTP', () => {
	test('that has one session at a time is told when that ends', async () => {
		const peer = await startPeer({isSingle: true});
		for (let start = 0; start < 3; start++) {
			const {call, servers} = openServers({s: {url: peer.url}});
			expect(await call('mcp__s__echo')).toBe('called');
			await servers.end();
		}

		expect(peer.methods().filter(method => method === 'DELETE')).toHaveLength(3);
		expect(peer.requests.every(({http, session}) => http !== 'DELETE' || session !== undefined)).toBe(true);
	});

	test('that never answers the end of a session holds up the end for a second at most', async () => {
		const peer = await startPeer({
			answer: (message, response) => !('method' in message) && response.req.method === 'DELETE',
		});
		const {call, servers} = openServers({s: {url: peer.url}});
		await call('mcp__s__echo');
		await servers.end();
		expect(peer.methods()).toContain('DELETE');
	});

	test('that fails to list its tools has its session ended, too', async () => {
		const peer = await startPeer({
			isSingle: true,
			answer: ({method}, response) => method === 'tools/list' && Boolean(response.writeHead(500).end('not now')),
		});
		const {servers, status} = openServers({s: {url: peer.url}});
		await servers.tools();
		expect((await status('s')).state).toMatchObject({state: 'failed', reason: 'it answered with status 500: not now'});
		await expect.poll(() => peer.sessions.size).toBe(0);
	});

	test('that closed its idle connections is called on a new one', async () => {
		const peer = await startPeer();
		const {call} = openServers({s: {url: peer.url}});
		for (let round = 0; round < 3; round++) {
			expect(await call('mcp__s__echo')).toBe('called');
			peer.drop();
		}
	});

	test('that goes and comes back is called again, with a new session and without a reconnect by hand', async () => {
		const peer = await startPeer();
		const {call} = openServers({s: {url: peer.url}});
		await call('mcp__s__echo');
		await peer.stop();
		peer.forget();
		for (let attempt = 0; attempt < 3; attempt++) {
			await expect(call('mcp__s__echo')).rejects.toMatchObject({
				code: 'failed',
				message: expect.stringContaining('Nothing is listening on http://127.0.0.1:'),
			});
		}

		await peer.start();
		expect(await call('mcp__s__echo')).toBe('called');
		expect(peer.calls).toHaveLength(2);
	});
});

test('a login that ends while the program runs is told with the command for it, and the other servers work on', async () => {
	let isOver = false;
	const peer = await startPeer({
		answer: (_, response) => isOver && Boolean(response.writeHead(401, {'www-authenticate': 'Bearer'}).end()),
	});
	const other = await startPeer();
	const {call, servers, status} = openServers({docs: {url: peer.url}, other: {url: other.url}});
	expect(await call('mcp__docs__echo')).toBe('called');
	isOver = true;
	const notices: unknown[] = [];
	const onNotice = (text: string, more?: object) => void notices.push([text, more]);
	await expect(call('mcp__docs__echo', {}, {onNotice})).rejects.toMatchObject({code: 'auth'});
	expect(notices).toEqual([
		["The MCP server docs can't be used: it needs a login.", {isWarning: true, hint: 'Log in: `mcp login docs`'}],
	]);
	expect((await status('docs')).state).toMatchObject({state: 'failed', needsLogin: true});
	expect(await call('mcp__other__echo')).toBe('called');
	expect((await servers.tools()).map(({name}) => name)).toContain('mcp__other__echo');
});

test('a command that ended between two calls is started again, and the second call is made', async () => {
	const {call, status} = openServers({files: node(official)});
	expect(await call('mcp__files__echo', {text: 'one'})).toBe('You said: one');
	await expect(call('mcp__files__die')).rejects.toMatchObject({code: 'failed'});
	expect(await call('mcp__files__echo', {text: 'two'})).toBe('You said: two');
	expect((await status('files')).state.state).toBe('ready');
});

test('tools that come by themselves are told once, with the next run', async () => {
	const {call, servers} = openServers({files: node(official)});
	await call('mcp__files__grow');
	await expect.poll(async () => (await servers.tools()).length).toBe(8);
	expect(texts(servers.warnings())).toEqual(['The tools of the MCP server files changed: added grown.']);
	await servers.tools();
	expect(servers.warnings()).toEqual([]);
});
