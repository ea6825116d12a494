import * as z from 'zod/mini';
import type {Job} from '../src/agent/tools/command/jobs.ts';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';
import {formatAmount, formatClock} from '../src/core/format.ts';
import {withStyles} from '../src/terminal/text/sgr.ts';

/** Returns the job of this number, by default the newest. Throws AppError("not-found"). */
function findJob(number: string | undefined, {program}: CommandContext): Job {
	const all = program.session.jobs();
	const found = number === undefined ? all.at(-1) : all.find(({id}) => id === number);
	if (!found) {
		throw new AppError('not-found', number === undefined ? 'No background jobs.' : `Job ${number} not found.`, {
			hint: 'List them: /jobs',
		});
	}

	return found;
}

const list = command({
	name: 'list',
	summary: 'List the commands in the background',
	args: z.object({}),
	examples: ['jobs'],
	where: 'app',
	whileRunning: true,

	run(_, {program}) {
		const all = program.session.jobs();
		return {
			kind: 'table',
			columns: [
				{label: 'job', whole: true},
				{label: 'command'},
				{label: 'state'},
				{label: 'last line', spare: true},
				{label: 'started', spare: true},
			],
			rows: all.map(({id, command: text, state, lastLine, startedAt}) => [
				id,
				text,
				state('user'),
				lastLine(),
				formatClock(startedAt),
			]),
			empty: 'No background jobs in this session. Ask the agent to run a command in the background.',
			data: all.map(({id, command: text, state, isRunning, startedAt}) => ({
				id,
				command: text,
				state: state('user'),
				running: isRunning(),
				started: new Date(startedAt).toISOString(),
			})),
		};
	},
});

const show = command({
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
			lines: [...withStyles(output).split('\n'), `job ${id}: ${state('user')}`],
			colored: true,
			data: {id, command: text, state: state('user'), output: output.text},
		};
	},
});

const stop = command({
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

export default noun({
	name: 'jobs',
	summary: 'Commands in the background',
	verbs: [list, show, stop],
	fallback: 'list',
});
