import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'undo',
	summary: 'Undo the last compaction',
	args: z.object({}),
	examples: ['compact undo'],
	where: 'app',

	async run(_, {ui: {live}}) {
		return {kind: 'text', text: live?.undoCompaction() ? 'Done.' : 'No compaction to undo.'};
	},
});
