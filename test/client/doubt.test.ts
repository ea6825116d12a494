import {expect, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import {refusalOf} from '../../src/client/refusal.ts';
import {AppError} from '../../src/core/error.ts';
import type {Transport} from '../../src/net/transport.ts';
import {clientOf, type Reply, scripted} from './server.ts';

const place = {org: 'acme', workspace: 'ml'};

async function answering(reply: Reply) {
	const server = await scripted(() => reply);
	return {...server, ...clientOf(server.origin)};
}

test.each([500, 502, 504, 599])(
	'after a write, %d leaves in doubt what was done, and the hint says how to look',
	async status => {
		const {client, asked} = await answering({status});
		const key: unknown = await client.createApiKey({body: {}}).catch((error: unknown) => error);
		const sandbox: unknown = await client
			.createEnvironment({params: place, body: {task_ref: 'triage'}})
			.catch((error: unknown) => error);
		expect([key, sandbox]).toMatchObject([
			{
				code: 'network',
				hint: 'It may have been done. Check `api-key list`, and revoke the key if you don’t have it.',
			},
			{code: 'network', hint: 'It may have been done. Check `env list` before you retry.'},
		]);
		expect(refusalOf(sandbox)?.status).toBe(status);
		expect(asked).toHaveLength(2);
	},
);

test('a write that was refused, or met no room, leaves nothing in doubt', async () => {
	for (const status of [409, 422, 429, 503]) {
		const {client} = await answering({status});
		await expect(client.createApiKey({body: {}})).rejects.toMatchObject({
			hint: expect.not.stringContaining('may have been done'),
		});
	}
});

test('a server that takes a minute without a sign is not waited for again [21]', async () => {
	const waited: unknown[] = [];
	const bearer: Transport = async ({headersTimeoutMs, idleTimeoutMs}) => {
		waited.push([headersTimeoutMs, idleTimeoutMs]);
		throw new AppError('network', 'Timed out.', {cause: Object.assign(new Error(), {code: 'UND_ERR_HEADERS_TIMEOUT'})});
	};
	const client = createClient({server: 'http://127.0.0.1:1', transports: {bearer}});
	await expect(client.getUserPreferences()).rejects.toMatchObject({code: 'network', message: 'Timed out.'});
	await expect(client.createEnvironment({params: place, body: {task_ref: 'triage'}})).rejects.toMatchObject({
		hint: expect.stringContaining('may have been done'),
	});
	expect(waited).toEqual([
		[60_000, 60_000],
		[60_000, 60_000],
	]);
});
