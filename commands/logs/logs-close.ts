import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findOpenLog, openLogHelp} from '../../src/command/open-log.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'close',
	summary: 'Stop following a log, or all of them',
	args: z.object({log: z.optional(z.string()), all: z.optional(z.boolean())}),
	positional: ['log'],
	describe: {log: openLogHelp, all: 'close every log'},
	examples: ['logs close', 'logs close web-shop', 'logs close --all'],
	where: 'app',
	whileRunning: true,

	run({log, all = false}, context) {
		const {
			ui: {live},
			program: {store},
		} = context;
		if (all && log !== undefined) {
			throw new AppError('usage', 'Give a log or --all, not both.', {hint: 'Leave one out.'});
		}

		const {logs, logFocus} = store.getState();
		const closed = all ? logs : [findOpenLog(log ?? logFocus, context)];
		const text = closed.map(({environment}) => live?.closeLog(environment)).filter(Boolean);
		return {kind: 'text', text: text.join('\n') || 'No open logs.'};
	},
});
