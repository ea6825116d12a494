import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {createContact} from '../../src/platform/contact.ts';
import {createAppStore} from '../../src/store/store.ts';
import {inWorkspace} from '../commands/api.ts';
import {testContext} from '../commands/context.ts';
import {goodKey} from '../commands/platform.ts';

/** A server on loopback that can stop, and start again at the same address. It has ended when its test has. */
async function restartable() {
	const seen: string[] = [];
	let port = 0;
	const server = () =>
		createServer((request, response) => {
			seen.push(`${request.method} ${request.url}${request.headers.authorization ? ' with a key' : ''}`);
			response
				.writeHead(200, {'content-type': 'application/json'})
				.end('{"items":[],"total":0,"page":1,"page_size":100,"logs":""}');
		});
	let running = server();
	const start = async () => {
		running = server();
		await new Promise<void>(resolve => running.listen(port, '127.0.0.1', resolve));
		({port} = running.address() as AddressInfo);
	};
	const stop = async () => {
		running.closeAllConnections();
		await new Promise(resolve => running.close(resolve));
	};
	await start();
	onTestFinished(stop);
	return {seen, start, stop, origin: originOf(`http://127.0.0.1:${port}`)};
}

/** The app, connected to such a server. */
async function connected() {
	const server = await restartable();
	const profile = server.origin.replace('http://', '');
	const scope = {SERVICE_ORG: 'acme', SERVICE_WORKSPACE: 'lab'};
	const app = testContext({env: {SERVICE_SERVER: server.origin, SERVICE_API_KEY: goodKey, ...scope}});
	app.store.getState().setConnection({profile, server: server.origin, state: 'ready'});
	return {...server, ...app, profile, connection: () => app.store.getState().connection};
}

test('a request that reaches no server marks the connection as failed, and the next answer as ready', async () => {
	const {runInApp, start, stop, connection, profile, origin} = await connected();
	await runInApp('runtime', 'list');
	expect(connection()).toEqual({profile, server: origin, state: 'ready'});
	await stop();
	await expect(runInApp('runtime', 'list')).rejects.toMatchObject({code: 'network'});
	expect(connection()).toEqual({profile, server: origin, state: 'failed'});
	await start();
	await runInApp('runtime', 'list');
	expect(connection()).toEqual({profile, server: origin, state: 'ready'});
});

test('a log that is open notices that its server stopped, while nothing else is asked', async () => {
	const {context, stop, start, connection} = await connected();
	const {logOf} = await context.program.servers.platform.openConnected();
	const read = logOf('e1e1e1e1-1c7e-4f6e-9a55-0123456789ab');
	const poll = () => read({after: undefined}, new AbortController().signal).catch(() => undefined);
	await poll();
	expect(connection().state).toBe('ready');
	await stop();
	await poll();
	expect(connection().state).toBe('failed');
	await start();
	await poll();
	expect(connection().state).toBe('ready');
});

test('the end of a login is no fault that an answer mends', async () => {
	const {runInApp, connection, store, profile} = await connected();
	store.getState().dropConnection(profile);
	await runInApp('runtime', 'list').catch(() => undefined);
	expect(connection()).toMatchObject({state: 'failed', detail: 'logged out'});
});

test('a request whose caller waits no longer says nothing against the connection', async () => {
	const {origin} = await restartable();
	const store = createAppStore();
	store.getState().setConnection({profile: 'a', server: origin, state: 'ready'});
	const transport = createTransport({userAgent: 'test'});
	onTestFinished(() => transport.close());
	const follow = createContact(store).follow(transport, origin);
	const signal = AbortSignal.timeout(0);
	await new Promise(resolve => signal.addEventListener('abort', resolve, {once: true}));
	await expect(follow({method: 'GET', url: `${origin}/api`, signal})).rejects.toMatchObject({code: 'network'});
	expect(store.getState().connection.state).toBe('ready');
});

test('the app’s own server is never marked: it says itself when it ends', async () => {
	const {origin, stop} = await restartable();
	const store = createAppStore();
	store.getState().setConnection({profile: 'local', server: origin, state: 'ready'});
	const transport = createTransport({userAgent: 'test'});
	onTestFinished(() => transport.close());
	await stop();
	const asked = createContact(store).follow(transport, origin)({method: 'GET', url: `${origin}/api`});
	await expect(asked).rejects.toMatchObject({code: 'network'});
	expect(store.getState().connection.state).toBe('ready');
});

test('a refusal is an answer, and says nothing against the connection', async () => {
	const store = createAppStore();
	const server = originOf('http://127.0.0.1:1');
	store.getState().setConnection({profile: 'a', server, state: 'ready'});
	const contact = createContact(store);
	const request = {method: 'GET', url: `${server}${inWorkspace}`} as const;
	const refuse = contact.follow(async () => Promise.reject(new AppError('usage', 'Not there.')), server);
	await expect(refuse(request)).rejects.toThrow('Not there.');
	expect(store.getState().connection.state).toBe('ready');
	const other = contact.follow(
		async () => Promise.reject(new AppError('network', 'Gone.')),
		originOf('http://127.0.0.1:2'),
	);
	await expect(other(request)).rejects.toThrow('Gone.');
	expect(store.getState().connection.state).toBe('ready');
});

test('a server is asked without a key whether it answers once it said nothing for a minute, and then once a minute', async () => {
	const {origin, seen, stop} = await restartable();
	const store = createAppStore();
	store.getState().setConnection({profile: 'a', server: origin, state: 'ready'});
	let now = 0;
	const contact = createContact(store, () => now);
	const transport = createTransport({userAgent: 'test'});
	onTestFinished(() => transport.close());
	const steps = [0, 59_999, 1, 59_999, 1, 0].map(step => {
		now += step;
		return contact.silent();
	});
	expect(steps).toEqual([undefined, undefined, origin, undefined, origin, undefined]);
	const follow = contact.follow(transport, origin);
	now += 59_999;
	await follow({method: 'GET', url: `${origin}/api`});
	now += 59_999;
	expect(contact.silent()).toBe(undefined);
	await stop();
	await expect(follow({method: 'GET', url: `${origin}/api`})).rejects.toMatchObject({code: 'network'});
	expect([store.getState().connection.state, seen]).toEqual(['failed', ['GET /api']]);
	store.getState().setConnection({profile: 'local', server: origin, state: 'ready'});
	now += 600_000;
	expect(contact.silent()).toBe(undefined);
});
