import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'explain',
	summary: 'Explain whether a command or a tool call needs approval',
	args: z.object({act: z.string()}),
	positional: ['act'],
	rest: true,
	describe: {act: 'a shell command, or such as "edit_file(src/a.ts)"'},
	examples: ['approvals explain npm test'],
	whileRunning: true,

	async run(
		{act: text},
		{
			program: {
				project: {approvals, files: project, folder},
				store,
			},
		},
	) {
		const {actOf, explainAct} = await import('../../src/command/approvals/explain-act.ts');
		await project.state();
		const act = actOf(text, folder.path());
		const {judge, rules} = approvals;
		const said = explainAct(act, await judge(act), {mode: store.getState().approvalMode, rules: rules.list()});
		return {kind: 'text', text: said.text, data: {act: text, ...said}};
	},
});
