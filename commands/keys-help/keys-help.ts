import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'keys-help',
	summary: 'List the app’s keys, yours included, and conflicts',
	args: z.object({}),
	examples: ['keys-help'],
	whileRunning: true,

	async run(_, {settings}) {
		const {keyTable} = await import('../../src/command/keymap/key-table.ts');
		return keyTable(settings);
	},
});
