import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';

export default command({
	name: 'create',
	summary: 'Create an API key; its secret is shown once',
	args: z.object({name: z.optional(z.string())}),
	positional: ['name'],
	describe: {name: 'what it is for, to tell it from others'},
	examples: ['api-key create ci', 'api-key create'],
	whileRunning: true,

	async run(
		{name},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {createdKey} = await import('../../src/command/views/api-key-view.ts');
		const {client} = await platform.open();
		return createdKey(originalOf(await client.createApiKey({body: name === undefined ? {} : {name}}, signal)));
	},
});
