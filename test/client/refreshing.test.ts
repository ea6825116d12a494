import {expect, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import {AppError} from '../../src/core/error.ts';
import type {Transport} from '../../src/net/transport.ts';
import {type Asked, refill, scripted, transportTo} from './server.ts';

const fresh = 'fresh-0123456789abcdef';
const bearerOf = ({headers}: Asked) => headers.authorization?.replace('Bearer ', '');

/** A server that accepts the fresh token alone, and a client that begins with a stale one. */
async function stale(refresh: (renewed: Transport, count: number) => Promise<Transport | undefined>) {
	const server = await scripted(asked =>
		bearerOf(asked) === fresh
			? {body: refill}
			: {status: 401, body: '{"code":401,"detail":"Expired.","type":"expired_token_error"}'},
	);
	let refreshes = 0;
	const renewed = transportTo(server.origin, 'bearer', fresh);
	const client = createClient({
		server: server.origin,
		transports: {
			bearer: transportTo(server.origin, 'bearer', 'stale'),
			apiKey: transportTo(server.origin, 'x-api-key', 'k'),
		},
		refresh: () => {
			refreshes += 1;
			return refresh(renewed, refreshes);
		},
	});
	return {...server, client, refreshes: () => refreshes};
}

const call = {params: {org: 'acme'}};

test('401 refreshes once and repeats the request, even a write with its body', async () => {
	const {client, asked, refreshes} = await stale(async renewed => renewed);
	await client.createApiKey({body: {name: 'ci'}});
	expect(await client.getAutoRefill(call)).toEqual(JSON.parse(refill));
	expect(asked.map(request => [request.method, bearerOf(request), request.body.toString()])).toEqual([
		['POST', 'stale', '{"name":"ci"}'],
		['POST', fresh, '{"name":"ci"}'],
		['GET', fresh, ''],
	]);
	expect(refreshes()).toBe(1);
});

test('concurrent calls with 401 share one refresh, and a later one uses its token', async () => {
	let release = () => {};
	const {client, asked, refreshes} = await stale(async renewed => {
		await new Promise<void>(resolve => {
			release = resolve;
		});
		return renewed;
	});
	const calls = Array.from({length: 5}, () => client.getAutoRefill(call));
	await expect.poll(() => [asked.length, refreshes()], {interval: 5}).toEqual([5, 1]);
	await new Promise(resolve => setTimeout(resolve, 20));
	release();
	expect(await Promise.all(calls)).toEqual(Array.from({length: 5}, () => JSON.parse(refill)));
	expect([refreshes(), asked.length]).toEqual([1, 10]);
});

test('without a new token, or if it is rejected too, the login has failed', async () => {
	for (const refresh of [async () => undefined, async (_: Transport, count: number) => never(count)]) {
		const {client, origin} = await stale(refresh);
		await expect(client.getAutoRefill(call)).rejects.toMatchObject({
			code: 'auth',
			message: `${origin} rejected the login: Expired (expired_token_error).`,
			hint: `Log in again with \`login --server ${origin}\`.`,
		});
	}

	function never(count: number): Transport {
		expect(count).toBe(1);
		return async () => ({
			status: 401,
			headers: {},
			body: (async function* () {
				yield new TextEncoder().encode('{"code":401,"detail":"Expired.","type":"expired_token_error"}');
			})(),
		});
	}
});

test('a failed refresh says why, and the next call may retry', async () => {
	const {client, refreshes} = await stale(async (renewed, count) => {
		if (count === 1) {
			throw new AppError('network', 'The login server is away.', {permanent: true});
		}

		return renewed;
	});
	await expect(client.getAutoRefill(call)).rejects.toMatchObject({message: 'The login server is away.'});
	expect(await client.getAutoRefill(call)).toEqual(JSON.parse(refill));
	expect(refreshes()).toBe(2);
});

test("an aborted call doesn't abort the refresh that others wait for", async () => {
	let release = () => {};
	const {client, asked, refreshes} = await stale(async renewed => {
		await new Promise<void>(resolve => {
			release = resolve;
		});
		return renewed;
	});
	const abort = new AbortController();
	const impatient = client.getAutoRefill(call, abort.signal).catch((error: unknown) => error);
	const patient = client.getAutoRefill(call);
	await expect.poll(() => [asked.length, refreshes()], {interval: 5}).toEqual([2, 1]);
	await new Promise(resolve => setTimeout(resolve, 20));
	abort.abort();
	expect(await impatient).toMatchObject({name: 'AbortError'});
	release();
	expect(await patient).toEqual(JSON.parse(refill));
});

test('a rejected API key and 403 cause no refresh', async () => {
	const {client, refreshes} = await stale(async renewed => renewed);
	const artifact = client.resolveTraceArtifact({params: {org: 'a', workspace: 'w', traceId: 't', oid: 'o'}});
	await expect(artifact).rejects.toMatchObject({code: 'auth'});
	expect(refreshes()).toBe(0);
});
