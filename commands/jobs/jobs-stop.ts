import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findJob} from '../../src/command/find-job.ts';
import {AppError} from '../../src/core/error.ts';
import {formatAmount} from '../../src/core/format.ts';

export default command({
	name: 'stop',
	summary: 'Stop a job with all its processes, or all jobs',
	args: z.object({job: z.optional(z.string()), all: z.optional(z.boolean())}),
	positional: ['job'],
	describe: {job: 'its number, as /jobs shows it; defaults to the only one', all: 'stop all'},
	examples: ['jobs stop 1', 'jobs stop --all'],
	where: 'app',
	whileRunning: true,

	async run({job: given, all = false}, context) {
		if (all && given !== undefined) {
			throw new AppError('usage', 'Give a job or --all, not both.', {hint: 'Leave one out.'});
		}

		const running = context.program.session.jobs().filter(job => job.isRunning());
		if (!all && given === undefined && running.length > 1) {
			throw new AppError('usage', 'Several jobs are running.', {hint: 'Pass a number or --all. List them: /jobs'});
		}

		const stopped = given === undefined ? running : [findJob(given, context)].filter(job => job.isRunning());
		await Promise.all(stopped.map(job => job.stop('user')));
		const [only] = stopped;
		const text = !only
			? 'No running jobs.'
			: stopped.length === 1
				? `Stopped job ${only.id}.`
				: `Stopped ${formatAmount(stopped.length, 'job')}.`;
		return {kind: 'text', text, data: stopped.map(({id}) => id)};
	},
});
