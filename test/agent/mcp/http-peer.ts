import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import type {Json, JsonObject} from '../../../src/core/json.ts';

/** A request as the peer got it. */
export type PeerRequest = {readonly http: string; readonly method: string; readonly session: string | undefined};

type PeerOptions = {
	/** The names of its tools, which may change. */
	readonly tools?: () => readonly string[];
	/** How it refuses a session that it doesn't know. */
	readonly refusal?: {readonly status: number; readonly body: string};
	/** True if it has one session at a time. */
	readonly isSingle?: boolean;
	/** Answers a request in place of the peer. */
	readonly answer?: (message: JsonObject, response: ServerResponse) => boolean;
};

const notFound = {
	status: 404,
	body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
};

/** Starts an MCP server of the revision 2025-11-25 with sessions on a loopback port, without the SDK. */
export async function startPeer({tools = () => ['echo'], refusal = notFound, isSingle, answer}: PeerOptions = {}) {
	const requests: PeerRequest[] = [];
	const sessions = new Set<string>();
	const calls: string[] = [];
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk as Buffer);
		}

		const message = JSON.parse(Buffer.concat(chunks).toString() || '{}') as JsonObject;
		const session = request.headers['mcp-session-id'] as string | undefined;
		const method = String(message['method'] ?? '');
		requests.push({http: request.method ?? '', method, session});
		const refuse = (status: number, body: string) =>
			void response.writeHead(status, {'content-type': 'application/json'}).end(body);
		const reply = (result: Json, headers: Record<string, string> = {}) =>
			void response
				.writeHead(200, {'content-type': 'application/json', ...headers})
				.end(JSON.stringify({jsonrpc: '2.0', id: message['id'] ?? null, result}));
		if (answer?.(message, response)) {
			return;
		}

		if (request.method === 'GET') {
			return refuse(405, '');
		}

		if (request.method === 'DELETE') {
			return refuse(sessions.delete(session ?? '') ? 200 : 404, '');
		}

		if (method === 'initialize') {
			if (isSingle && sessions.size > 0) {
				return refuse(
					400,
					'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Server already initialized"}}',
				);
			}

			const id = randomUUID();
			sessions.add(id);
			const info = {name: 'peer', version: '1'};
			return reply(
				{protocolVersion: '2025-11-25', capabilities: {tools: {}}, serverInfo: info},
				{'mcp-session-id': id},
			);
		}

		if (session === undefined || !sessions.has(session)) {
			return session === undefined
				? refuse(400, 'Bad Request: No valid session ID provided')
				: refuse(refusal.status, refusal.body);
		}

		switch (method) {
			case 'tools/list':
				return reply({tools: tools().map(name => ({name, inputSchema: {type: 'object'}}))});
			case 'tools/call':
				calls.push(String((message['params'] as JsonObject)['name']));
				return reply({content: [{type: 'text', text: 'called'}]});
			default:
				response.writeHead(202).end();
		}
	};
	const listen = async (port: number): Promise<Server> => {
		const server = createServer((request, response) => void handle(request, response)).listen(port, '127.0.0.1');
		await once(server, 'listening');
		return server;
	};
	let server: Server | undefined = await listen(0);
	const {port} = server.address() as AddressInfo;
	const stop = async () => {
		const closing = server;
		server = undefined;
		closing?.closeAllConnections();
		await (closing && new Promise(resolve => closing.close(resolve)));
	};
	onTestFinished(stop);
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		requests,
		sessions,
		calls,
		stop,
		/** Forgets all sessions, as a restart does. */
		forget: () => sessions.clear(),
		/** Ends all connections, as a laptop that sleeps or a load balancer does. */
		drop: () => server?.closeAllConnections(),
		async start() {
			server = await listen(port);
		},
		methods: () => requests.map(({http, method}) => (http === 'POST' ? method : http)),
	};
}
