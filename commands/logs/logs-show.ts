import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findOpenLog, openLogHelp} from '../../src/command/open-log.ts';

export default command({
	name: 'show',
	summary: 'Show the log panel with one log in front',
	args: z.object({log: z.optional(z.string())}),
	positional: ['log'],
	describe: {log: openLogHelp},
	examples: ['logs show', 'logs show web-shop'],
	where: 'app',
	whileRunning: true,

	run({log}, context) {
		const {logs, logFocus} = context.program.store.getState();
		const isOpen = log === undefined && logs.length > 0;
		const focus = isOpen ? logFocus : findOpenLog(log ?? '', context).environment;
		return {kind: 'panel', panel: {show: 'log-panel', isShown: true, focus}};
	},
});
