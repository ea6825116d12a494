import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findOpenLog} from '../../src/command/open-log.ts';

export default command({
	name: 'hide',
	summary: 'Collapse the log panel (logs keep streaming)',
	args: z.object({}),
	examples: ['logs hide'],
	where: 'app',
	whileRunning: true,

	run(_, context) {
		const {logs, logFocus} = context.program.store.getState();
		const focus = logs.length > 0 ? logFocus : findOpenLog('', context).environment;
		return {kind: 'panel', panel: {show: 'log-panel', isShown: false, focus}};
	},
});
