import * as z from 'zod/mini';
import {approvalsView} from '../../src/command/approvals/approvals-view.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'Show the mode and the rules',
	args: z.object({}),
	whileRunning: true,

	run(_, {approvals, store, live, folder}) {
		return approvalsView(approvals.rules.list(), {mode: live && store.getState().approvalMode, folder});
	},
});
