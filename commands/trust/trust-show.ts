import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show this folder’s agent files and whether they are used',
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
		const {trustTable} = await import('../../src/command/views/project/trust-view.ts');
		return trustTable(await project.loadAll());
	},
});
