import * as z from 'zod/mini';
import {approvalsView} from '../../src/command/approvals/approvals-view.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'Show the approval mode and the rules',
	args: z.object({}),
	whileRunning: true,

	async run(
		_,
		{
			program: {
				project: {approvals, files: project, folder},
				store,
			},
			ui: {live},
		},
	) {
		await project.state();
		return approvalsView(approvals.rules.list(), {mode: live && store.getState().approvalMode, folder: folder.path()});
	},
});
