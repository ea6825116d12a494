import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {approvalModes} from '../../src/core/session/approval.ts';
import {modeEffects} from '../../src/store/approval-slice.ts';

export default command({
	name: 'mode',
	summary: 'Select what the agent may do without asking',
	args: z.object({mode: z.enum(approvalModes)}),
	positional: ['mode'],
	describe: {mode: 'ask, edits, plan or all'},
	examples: ['approvals mode plan'],
	whileRunning: true,
	where: 'app',

	run({mode}, {program: {store}}) {
		store.getState().setApprovalMode(mode);
		// The first all mode in a folder asks.
		const {approvalMode} = store.getState();
		return {kind: 'text', text: modeEffects[approvalMode], data: {mode: approvalMode}};
	},
});
