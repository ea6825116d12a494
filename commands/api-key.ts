import * as z from 'zod/mini';
import {uuidArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {endsWith, loadKeys} from '../src/command/views/api-key-family.ts';
import {createdKey, keyTable} from '../src/command/views/api-key-view.ts';
import {originalOf} from '../src/contract/lenient.ts';

const list = command({
	name: 'list',
	summary: 'List your active API keys on the server',
	args: z.object({}),
	whileRunning: true,

	async run(_, {platform, signal}) {
		const {client} = await platform.open();
		return keyTable(originalOf(await client.listApiKeys({}, signal)));
	},
});

const create = command({
	name: 'create',
	summary: 'Create an API key; its secret is shown once',
	args: z.object({name: z.optional(z.string())}),
	positional: ['name'],
	describe: {name: 'what it is for, to tell it from others'},
	examples: ['api-key create ci', 'api-key create'],
	whileRunning: true,

	async run({name}, {platform, signal}) {
		const {client} = await platform.open();
		return createdKey(originalOf(await client.createApiKey({body: name === undefined ? {} : {name}}, signal)));
	},
});

const revoke = command({
	name: 'revoke',
	summary: 'Revoke an API key for good, with the keys created with it',
	args: z.object({key: uuidArgument, yes: z.optional(z.boolean())}),
	positional: ['key'],
	completes: {key: 'key'},
	describe: {key: 'UUID of the key, as `api-key list` shows it', yes: 'skip the confirmation'},
	examples: ['api-key revoke 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run({key, yes}, {platform, interact, signal}) {
		const {client, server} = await platform.open();
		const also = endsWith(await loadKeys(client, signal), key);
		const question = `Revoke the API key ${key} on ${server}? Anything that uses it stops working.`;
		if (!yes && !(await interact.confirm([question, ...also].join(' ')))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const answer = originalOf(await client.revokeApiKey({params: {keyId: key}}, signal));
		return {
			kind: 'text',
			text: [`Revoked the API key ${key}.`, ...also].join(' '),
			data: answer ?? {key_id: key, revoked: true},
		};
	},
});

export default noun({name: 'api-key', summary: 'Your API keys on the server', verbs: [list, create, revoke]});
