import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {once} from 'node:events';
import {createServer} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import {setImmediate} from 'node:timers/promises';
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import {expect, test} from 'vitest';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {warmConnector} from '../../src/net/undici-agent.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {selfSigned} from './certificate.ts';
import {atEnd, connectProxy, httpServer} from './servers.ts';

/** A TLS server that remembers its connections and on which of them each request came, and a client that trusts it. */
async function tlsPair() {
	const certificate = selfSigned('localhost');
	const connections: Socket[] = [];
	const requests: number[] = [];
	const server = createServer(certificate, ({socket}, response) => {
		requests.push(connections.indexOf(socket));
		response.end();
	}).on('secureConnection', socket => connections.push(socket));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
	const connector = warmConnector(buildConnector({ca: certificate.cert}));
	const agent = new Agent({connect: connector.connect});
	atEnd(() => {
		connector.close();
		void agent.destroy();
		server.closeAllConnections();
		server.close();
	});
	return {
		connector,
		connections,
		requests,
		origin,
		/** Waits for another connection. */
		connected: () => once(server, 'secureConnection'),
		async get() {
			const {body} = await request.call(agent, {origin, path: '/', method: 'GET'});
			await body.dump();
			// The pool uses the connection again once the events of the response have come.
			await setImmediate();
		},
	};
}

test('a connection is opened with TLS before its request, which is then sent on it', async () => {
	const {connector, connections, requests, origin, connected, get} = await tlsPair();
	const opened = connected();
	connector.warm(origin);
	connector.warm(origin);
	await opened;
	expect([connections.length, connections[0]?.bytesRead, requests]).toEqual([1, expect.any(Number), []]);
	await get();
	// Its connection is open for the next request, so that another is of no use.
	connector.warm(origin);
	await get();
	expect([connections.length, requests]).toEqual([1, [0, 0]]);
});

test('a request that comes while its connection is being opened waits for that one', async () => {
	const {connector, connections, requests, origin, get} = await tlsPair();
	connector.warm(origin);
	await get();
	expect([connections.length, requests]).toEqual([1, [0]]);
});

test('a connection that the server closed meanwhile is replaced', async () => {
	const {connector, connections, requests, origin, connected, get} = await tlsPair();
	const opened = connected();
	connector.warm(origin);
	await opened;
	const closed = once(connections[0] as Socket, 'close');
	connections[0]?.end();
	await closed;
	await get();
	expect([connections.length, requests]).toEqual([2, [1]]);
});

test('closing ends connections that no request has used', async () => {
	const {connector, connections, origin, connected} = await tlsPair();
	const opened = connected();
	connector.warm(origin);
	await opened;
	const closed = once(connections[0] as Socket, 'close');
	connector.close();
	await closed;
});

test('a host that refuses to connect fails with the request, and works once it runs', async () => {
	const server = await httpServer((_, response) => response.end());
	const transport = createTransport({userAgent: 'service/test'});
	atEnd(() => void transport.close());
	await transport.warm?.('http://127.0.0.1:1/v1');
	await expect(transport({method: 'GET', url: 'http://127.0.0.1:1/v1'})).rejects.toMatchObject({code: 'network'});
	await transport.warm?.(`${server.origin}/v1`);
	expect((await transport({method: 'GET', url: server.origin})).status).toBe(200);
});

test('[9] no connection is opened to an address that may not be used, and none through a proxy', async () => {
	const proxy = await connectProxy(1);
	const transport = createTransport({userAgent: 'service/test', env: {HTTPS_PROXY: proxy.url}});
	atEnd(() => void transport.close());
	await expect(transport.warm?.('http://far.test/v1')).rejects.toThrow('Refusing plain HTTP');
	await transport.warm?.('https://far.test/v1');
	await expect(transport({method: 'GET', url: 'https://far.test/v1'})).rejects.toMatchObject({code: 'network'});
	// The tunnel of the request, and of nothing else.
	expect(proxy.heads.length).toBe(1);
});

/** What undici publishes of a request (its docs, DiagnosticsChannel). */
type Published = {
	readonly request: {readonly origin: string; readonly method: string; readonly headers: readonly string[]};
};

test('[6] while the user types, a request is practised to its end, once, with nothing sent and without the key', async () => {
	const server = await httpServer((_, response) => response.end());
	const practised: string[] = [];
	const note = (step: string) => {
		const name = `undici:request:${step}`;
		const add = (message: unknown) => {
			const {origin, method, headers} = (message as Published).request;
			practised.push(`${step} ${method} ${origin} ${headers.join(' ').includes('authorization')}`);
		};
		subscribe(name, add);
		atEnd(() => void unsubscribe(name, add));
	};
	note('create');
	note('trailers');
	const credential = {origin: originOf(server.origin), kind: 'bearer', secret: secret('sk-0123456789')} as const;
	const transport = createTransport({userAgent: 'service/test', credential});
	atEnd(() => void transport.close());
	await transport.warm?.(`${server.origin}/v1`);
	await transport.warm?.(`${server.origin}/v1`);
	expect(practised).toEqual(['create POST http://localhost false', 'trailers POST http://localhost false']);
	expect(server.seen).toEqual([]);
	await transport({method: 'GET', url: server.origin});
	expect(practised.slice(2)).toContain(`create GET ${server.origin} true`);
});
