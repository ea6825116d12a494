import * as z from 'zod/mini';
import {leftOut} from '../../src/agent/project/project.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'add',
	summary: 'Trust the agent files of this folder as they are now',
	args: z.object({yes: z.optional(z.boolean())}),
	describe: {yes: 'skip the confirmation'},
	examples: ['trust add --yes'],

	async run(
		{yes},
		{
			program: {
				project: {files: project},
			},
			ui: {interact},
		},
	) {
		const {questionFor, trustDrawing} = await import('../../src/command/views/project/trust-drawing.ts');
		const {trustTable} = await import('../../src/command/views/project/trust-view.ts');
		const state = await project.loadAll();
		const files = leftOut(state);
		if (files.length === 0) {
			return {
				kind: 'text',
				text: state.files.length > 0 ? 'Every file here is used already.' : 'No instructions, settings or hooks here.',
			};
		}

		if (!yes && !(await interact.confirm(questionFor(files), undefined, trustDrawing(files, state)))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		await project.decide(true, files);
		return trustTable(await project.state());
	},
});
