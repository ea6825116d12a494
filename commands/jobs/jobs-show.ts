import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findJob} from '../../src/command/find-job.ts';
import {withStyles} from '../../src/terminal/text/sgr.ts';

export default command({
	name: 'show',
	summary: 'Show the last output of a job',
	args: z.object({job: z.optional(z.string())}),
	positional: ['job'],
	describe: {job: 'its number, as /jobs shows it; defaults to the newest job'},
	examples: ['jobs show 1'],
	where: 'app',
	whileRunning: true,

	run({job: given}, context) {
		const {id, command: text, state, lastOutput} = findJob(given, context);
		const output = lastOutput();
		return {
			kind: 'lines',
			lines: [...withStyles(output).split('\n'), `job ${id}: ${state()}`],
			colored: true,
			data: {id, command: text, state: state(), output: output.text},
		};
	},
});
