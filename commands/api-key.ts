import * as z from 'zod/mini';
import {countArgument, idArgument, wholeNumber} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {formatNumber} from '../src/core/format.ts';

/** The most requests a minute that the server accepts as a limit. */
const maxRate = 1_000_000;

const list = command({
	name: 'list',
	summary: 'List your active API keys on the server',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program, signal}) {
		const {keyTable} = await import('../src/command/views/api-key-view.ts');
		const {client} = await program.servers.open();
		return keyTable(originalOf(await client.listApiKeys({}, signal)));
	},
});

const create = command({
	name: 'create',
	summary: 'Create an API key; its secret is shown once',
	args: z.object({name: z.optional(z.string()), rate: z.optional(countArgument(maxRate))}),
	positional: ['name'],
	describe: {
		name: 'what it is for, to tell it from others',
		rate: 'requests a minute that it may send to each server; no limit by default',
	},
	examples: ['api-key create ci', 'api-key create ci --rate 600'],
	whileRunning: true,

	async run({name, rate}, {program, signal}) {
		const {createdKey} = await import('../src/command/views/api-key-view.ts');
		const {client} = await program.servers.open();
		const body = {...(name !== undefined && {name}), ...(rate !== undefined && {requests_per_minute: rate})};
		return createdKey(originalOf(await client.createApiKey({body}, signal)));
	},
});

const limit = command({
	name: 'limit',
	summary: 'Limit the requests a minute of an API key',
	args: z.object({key: idArgument, rate: z.pipe(wholeNumber, z.number().check(z.gte(0), z.lte(maxRate)))}),
	positional: ['key', 'rate'],
	completes: {key: 'key'},
	describe: {
		key: 'id of the key, as `api-key list` shows it, or a unique prefix',
		rate: 'requests a minute that it may send to each server; 0 for no limit',
	},
	examples: ['api-key limit 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 600'],
	whileRunning: true,

	async run({key: typed, rate}, {program, signal}) {
		const {client, find} = await program.servers.open();
		const keyId = await find('key', typed, {}, signal);
		const body = {requests_per_minute: rate === 0 ? null : rate};
		const data = originalOf(await client.updateApiKey({params: {keyId}, body}, signal));
		const allowed = rate === 0 ? 'any number of requests' : `${formatNumber(rate)} requests a minute`;
		return {kind: 'text', text: `The API key ${keyId} may send ${allowed}.`, data};
	},
});

const revoke = command({
	name: 'revoke',
	summary: 'Revoke an API key for good, and those created with it',
	args: z.object({key: idArgument, yes: z.optional(z.boolean())}),
	positional: ['key'],
	completes: {key: 'key'},
	describe: {key: 'id of the key, as `api-key list` shows it, or a unique prefix', yes: 'skip the confirmation'},
	examples: ['api-key revoke 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run({key: typed, yes}, {program, ui: {interact}, signal}) {
		const {endsWith, loadKeys} = await import('../src/command/views/api-key-view.ts');
		const {client, server, find} = await program.servers.open();
		const key = await find('key', typed, {}, signal);
		const also = endsWith(await loadKeys(client, signal), key);
		const question = `Revoke the API key ${key} on ${server}? Anything that uses it stops working.`;
		if (!yes && !(await interact.confirm([question, ...also].join(' ')))) {
			return unchanged;
		}

		const answer = originalOf(await client.revokeApiKey({params: {keyId: key}}, signal));
		return {
			kind: 'text',
			text: [`Revoked the API key ${key}.`, ...also].join(' '),
			data: answer ?? {key_id: key, revoked: true},
		};
	},
});

export default noun({name: 'api-key', summary: 'Your API keys on the server', verbs: [list, create, limit, revoke]});
