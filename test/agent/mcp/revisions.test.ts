import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {Readable} from 'node:stream';
import {createMcpHandler, inputRequired, inputResponse, McpServer} from '@modelcontextprotocol/server';
import {describe, expect, onTestFinished, test} from 'vitest';
import * as z from 'zod';
import {startPeer} from './http-peer.ts';
import {node, official, openServers} from './servers.ts';

type Seen = {
	readonly method: string;
	readonly version: string | undefined;
	readonly headers: Readonly<Record<string, unknown>>;
};

/** Starts a server of the official SDK over HTTP, which reads the revision 2026-07-28, and earlier ones with `stateless`. */
async function startModern(legacy: 'stateless' | 'reject') {
	const names = ['echo', 'asks', 'routed'];
	const text = (value: string) => ({content: [{type: 'text' as const, text: value}]});
	const handler = createMcpHandler(
		() => {
			const server = new McpServer({name: 'modern', version: '2'}, {capabilities: {tools: {listChanged: true}}});
			for (const name of names.filter(each => each !== 'asks' && each !== 'routed')) {
				server.registerTool(name, {inputSchema: z.object({text: z.string()})}, async ({text: given}) => text(given));
			}

			server.registerTool('asks', {inputSchema: z.object({})}, async (_, {mcpReq}) => {
				const answer = inputResponse(mcpReq.inputResponses, 'who');
				return answer.kind === 'elicit'
					? text(JSON.stringify(answer))
					: inputRequired({
							inputRequests: {
								who: inputRequired.elicit({
									message: 'Who?',
									requestedSchema: {type: 'object', properties: {name: {type: 'string'}}, required: ['name']},
								}),
							},
						});
			});
			server.registerTool(
				'routed',
				{inputSchema: z.object({region: z.string().meta({'x-mcp-header': 'Region'})})},
				async ({region}) => text(region),
			);
			return server;
		},
		{legacy},
	);
	const seen: Seen[] = [];
	const listener = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk as Buffer);
		}

		const body = Buffer.concat(chunks);
		const message = JSON.parse(body.toString() || '{}') as {readonly method?: string};
		const {headers} = request;
		seen.push({
			method: message.method ?? request.method ?? '',
			version: headers['mcp-protocol-version'] as string,
			headers,
		});
		const answer = await handler.fetch(
			new Request(`http://${headers.host}${request.url}`, {
				method: request.method ?? 'GET',
				headers: Object.entries(headers).flatMap(([name, value]): [string, string][] => [[name, String(value)]]),
				...(body.length > 0 && {body}),
			}),
		);
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		if (answer.body) {
			Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
		} else {
			response.end();
		}
	}).listen(0, '127.0.0.1');
	await once(listener, 'listening');
	onTestFinished(async () => {
		await handler.close();
		listener.closeAllConnections();
		listener.close();
	});
	return {
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
		seen,
		methods: () => seen.map(({method}) => method),
		add(name: string) {
			names.push(name);
			handler.notify.toolsChanged();
		},
	};
}

describe.each(['stateless', 'reject'] as const)('a server of 2026-07-28 over HTTP (earlier revisions: %s)', legacy => {
	test('is asked without a handshake and without a session', async () => {
		const peer = await startModern(legacy);
		const {call, status, servers} = openServers({s: {url: peer.url}});
		expect(await call('mcp__s__echo', {text: 'hello'})).toBe('hello');
		expect((await status('s')).state).toMatchObject({state: 'ready', about: 'modern 2'});
		await servers.end();
		expect(peer.methods()[0]).toBe('server/discover');
		expect(peer.methods()).not.toContain('initialize');
		expect(peer.methods()).not.toContain('DELETE');
		const called = peer.seen.find(({method}) => method === 'tools/call');
		expect(called?.version).toBe('2026-07-28');
		expect(called?.headers).toMatchObject({'mcp-method': 'tools/call', 'mcp-name': 'echo'});
		expect(called?.headers).not.toHaveProperty('mcp-session-id');
	});
});

test('a server of 2026-07-28 asks the user in its answer, and the call is made again with theirs', async () => {
	const peer = await startModern('reject');
	const answers = ['Answer', 'Ada', 'Send'];
	const {call} = openServers({s: {url: peer.url}}, {ask: async () => answers.shift()});
	expect(await call('mcp__s__asks')).toContain('"name":"Ada"');
	expect(peer.methods().filter(method => method === 'tools/call')).toHaveLength(2);
});

test('arguments that a server of 2026-07-28 wants in headers are sent there', async () => {
	const peer = await startModern('reject');
	const {call} = openServers({s: {url: peer.url}});
	expect(await call('mcp__s__routed', {region: 'eu-1'})).toBe('eu-1');
	const called = peer.seen.find(({method}) => method === 'tools/call');
	expect(called?.headers).toMatchObject({'mcp-param-region': 'eu-1'});
});

test('a server of 2026-07-28 tells of tools that come later', async () => {
	const peer = await startModern('reject');
	const {servers} = openServers({s: {url: peer.url}});
	expect(await servers.tools()).toHaveLength(3);
	await expect.poll(() => peer.methods()).toContain('subscriptions/listen');
	peer.add('later');
	await expect.poll(async () => (await servers.tools()).map(({name}) => name)).toContain('mcp__s__later');
});

test('a command of 2026-07-28 alone works, and is started again in that revision', async () => {
	const {call, status} = openServers({s: node(official, 'modern')});
	expect(await call('mcp__s__echo', {text: 'one'})).toBe('You said: one');
	await expect(call('mcp__s__die')).rejects.toMatchObject({code: 'failed'});
	expect(await call('mcp__s__echo', {text: 'two'})).toBe('You said: two');
	expect((await status('s')).state).toMatchObject({state: 'ready', about: 'official 1.2.3'});
});

describe('a server of 2025-11-25 over HTTP', () => {
	test.each<[string, number, string]>([
		['400', 400, 'Bad Request: No valid session ID provided'],
		['404', 404, ''],
		['405', 405, ''],
		['500', 500, 'oops'],
		['202', 202, ''],
		['200 and no JSON', 200, 'hello'],
		['200 and an empty result', 200, '{"jsonrpc":"2.0","id":1,"result":{}}'],
		['200 and an error', 200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}'],
	])('that answers server/discover with %s gets a handshake', async (_, status, body) => {
		const peer = await startPeer({
			answer: ({method}, response) =>
				method === 'server/discover' &&
				Boolean(response.writeHead(status, {'content-type': 'application/json'}).end(body)),
		});
		const {call} = openServers({s: {url: peer.url}});
		expect(await call('mcp__s__echo')).toBe('called');
		expect(peer.methods().filter(method => method === 'server/discover').length).toBeLessThanOrEqual(1);
	});

	test('is asked for another revision once, and not again after it lost the session', async () => {
		const peer = await startPeer();
		const {call} = openServers({s: {url: peer.url}});
		await call('mcp__s__echo');
		peer.forget();
		await call('mcp__s__echo');
		expect(peer.methods().filter(method => method === 'server/discover')).toHaveLength(1);
	});
});
