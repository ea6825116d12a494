import {expect, test} from 'vitest';
import {refusalOf} from '../../src/client/refusal.ts';
import {clientOf, preferences, refill, scripted} from './server.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';

test.each([429, 500, 502, 503, 504])('a GET is retried after %d, and a later success counts [23]', async status => {
	const {origin, asked} = await scripted((_, count) => (count < 3 ? {status} : {body: refill}));
	const {client, waits} = clientOf(origin);
	expect(await client.getAutoRefill({params: {org: 'acme'}})).toEqual(JSON.parse(refill));
	expect([asked.length, waits]).toEqual([3, [500, 500]]);
});

test('a GET whose connection breaks is retried [23]', async () => {
	const {origin, asked} = await scripted((_, count) => (count < 3 ? 'cut' : {body: preferences}));
	expect(await clientOf(origin).client.getUserPreferences()).toEqual(JSON.parse(preferences));
	expect(asked).toHaveLength(3);
});

test.each([400, 401, 402, 403, 404, 409, 422, 426])('a GET is not retried after %d [23]', async status => {
	const {origin, asked} = await scripted(() => ({status}));
	await expect(clientOf(origin).client.getUserPreferences()).rejects.toThrow();
	expect(asked).toHaveLength(1);
});

test('a write is sent once, whatever its result [23]', async () => {
	for (const reply of ['cut', {status: 429, headers: {'retry-after': '1'}}, {status: 500}, {status: 502}] as const) {
		const {origin, asked} = await scripted(() => reply);
		const {client, waits} = clientOf(origin);
		await expect(client.revokeApiKey({params: {keyId: id}})).rejects.toMatchObject({code: 'network'});
		await expect(client.createApiKey({body: {}})).rejects.toMatchObject({code: 'network'});
		await expect(client.updateUserPreferences({body: {}})).rejects.toMatchObject({code: 'network'});
		expect([asked.length, waits]).toEqual([3, []]);
	}
});

test('a claim with an execution id is retried as the same attempt [23]', async () => {
	const params = {org: 'acme', workspace: 'lab', runId: id};
	const {origin, asked} = await scripted((_, count) =>
		count === 1 ? 'cut' : count === 2 ? {status: 502} : {body: '{}'},
	);
	expect(await clientOf(origin).client.claimRun({params, body: {execution_id: id}})).toEqual({});
	expect(asked.map(({body}) => String(body))).toEqual(Array(3).fill(JSON.stringify({execution_id: id})));

	const once = await scripted(() => 'cut');
	await expect(clientOf(once.origin).client.claimRun({params, body: {}})).rejects.toMatchObject({code: 'network'});
	expect(once.asked).toHaveLength(1);
});

test('Retry-After is obeyed to the millisecond; more than a minute becomes an error [23]', async () => {
	const polite = await scripted((_, count) =>
		count === 1 ? {status: 429, headers: {'retry-after': '7'}} : {body: preferences},
	);
	const {client, waits} = clientOf(polite.origin);
	await client.getUserPreferences();
	expect(waits).toEqual([7000]);

	const body = '{"code":429,"detail":"Slow down.","type":"usage_limit_exceeded_error"}';
	const busy = await scripted(() => ({status: 429, headers: {'retry-after': '600'}, body}));
	const error: unknown = await clientOf(busy.origin)
		.client.getUserPreferences()
		.catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({
		code: 'network',
		message: `${busy.origin} is rate-limiting you: Slow down (usage_limit_exceeded_error).`,
		hint: 'Try again in 10 minutes.',
	});
	expect(refusalOf(error)).toEqual({status: 429, type: 'usage_limit_exceeded_error', detail: 'Slow down'});
	expect(busy.asked).toHaveLength(1);
});

test('a wait is reported with its length and reason', async () => {
	const {origin} = await scripted((_, count) => (count === 1 ? {status: 503} : {body: preferences}));
	const told: unknown[] = [];
	const clock = {sleep: () => Promise.resolve(), random: () => 0};
	const {client} = clientOf(origin, {
		retry: {clock, onWait: (milliseconds, error) => told.push([milliseconds, refusalOf(error)?.status])},
	});
	await client.getUserPreferences();
	expect(told).toEqual([[500, 503]]);
});

test('a write whose connection breaks may have been done; one that found no server was not', async () => {
	const {origin} = await scripted(() => 'cut');
	const hint = 'It may have been done. Check `api-key list`, and revoke the key if you don’t have it.';
	const {client} = clientOf(origin);
	await expect(client.createApiKey({body: {}})).rejects.toMatchObject({code: 'network', hint});
	const nowhere = clientOf('http://127.0.0.1:1');
	await expect(nowhere.client.createApiKey({body: {}})).rejects.toMatchObject({
		message: 'Nothing is listening on http://127.0.0.1:1.',
		hint: 'Check the address, and that the server is running.',
	});
});
