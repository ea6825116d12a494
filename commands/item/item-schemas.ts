import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'schemas',
	summary: 'List the item types of the project and their schemas',
	args: z.object({}),
	examples: ['item schemas --project parser', 'item schemas --json'],
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
		const {itemSchemasResult} = await import('../../src/command/views/item-schemas-view.ts');
		const {client, scope} = await platform.open();
		return itemSchemasResult(await client.getItemSchemas({params: await scope('org', 'workspace', 'project')}, signal));
	},
});
