import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {memoryTable} from '../../src/command/views/project/memory-view.ts';

export default command({
	name: 'show',
	summary: 'Show the instruction files in effect, with their tokens',
	args: z.object({}),
	whileRunning: true,

	async run(_, {project}) {
		return memoryTable(await project.state());
	},
});
