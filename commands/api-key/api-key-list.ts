import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';

export default command({
	name: 'list',
	summary: 'List your active API keys on the server',
	args: z.object({}),
	whileRunning: true,

	async run(
		_,
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {keyTable} = await import('../../src/command/views/api-key-view.ts');
		const {client} = await platform.open();
		return keyTable(originalOf(await client.listApiKeys({}, signal)));
	},
});
