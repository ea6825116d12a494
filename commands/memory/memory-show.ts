import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show the instruction files in effect, with their tokens',
	args: z.object({}),
	whileRunning: true,

	async run(
		_,
		{
			program: {
				project: {files: project},
			},
		},
	) {
		const {memoryTable} = await import('../../src/command/views/project/memory-view.ts');
		return memoryTable(await project.state());
	},
});
