import * as z from 'zod/mini';
import {repeatable} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {AppError} from '../../src/core/error.ts';
import {formatAmount} from '../../src/core/format.ts';
import {createFilter} from '../../src/logs/filter.ts';
import {levels} from '../../src/logs/levels.ts';
import {createMatcher} from '../../src/logs/matcher.ts';
import {retryNotice} from '../../src/platform/retry-notice.ts';

export default command({
	name: 'logs',
	summary: 'Show the end of a sandbox’s log, or follow it',
	args: z.object({
		environment: z.string(),
		follow: z.optional(z.boolean()),
		sinceStart: z.optional(z.boolean()),
		grep: repeatable,
		level: z.optional(z.enum(levels)),
		frames: z.optional(z.boolean()),
		until: z.optional(z.string()),
		exitStatus: z.optional(z.boolean()),
	}),
	positional: ['environment'],
	describe: {
		environment: 'its id or a unique prefix',
		follow: 'follow new lines until Ctrl+C (the app always does)',
		sinceStart: 'start from the oldest line on the server',
		grep: 'only lines that match this regular expression; ! before it inverts; lower case ignores case; if repeated, all must match',
		level: `only lines of this level or above (${levels.join(', ')}), and lines without a level`,
		frames: 'in the app line by line: all frames of stack traces, also those of libraries',
		until: 'with --follow: exit once a line matches this regular expression; fail if the log ends first',
		exitStatus: 'with --follow: fail if the sandbox is gone at the end',
	},
	completes: {environment: 'environment'},
	examples: [
		'env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		"env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --grep '!health' --level warn",
	],
	whileRunning: true,

	async run(
		{environment, follow = false, sinceStart = false, grep, level, frames, until, exitStatus = false},
		context,
	) {
		const {createLineCounter, streamLog} = await import('../../src/command/views/log-stream.ts');
		const {followedLog} = await import('../../src/command/views/followed-log.ts');
		const {
			program: {
				servers: {platform},
			},
			ui: {interact},
			signal,
		} = context;
		const filter = createFilter({patterns: grep ?? [], minLevel: level});
		const last = until === undefined ? undefined : createMatcher(until);
		if ((exitStatus || last) && !follow) {
			const flag = last ? '--until' : '--exit-status';
			throw new AppError('usage', `${flag} needs --follow.`, {hint: 'Add --follow.'});
		}

		if (context.ui.live) {
			if (last) {
				throw new AppError('usage', '--until works in a shell only.', {
					hint: 'Watch the log instead: `watch start <condition>`',
				});
			}

			return followedLog({environment, follow, sinceStart, patterns: grep, minLevel: level, frames}, context);
		}

		const {client, environment: pathOf, logOf} = await platform.open();
		if (follow || sinceStart) {
			const onWait = retryNotice(interact.say);
			const source = logOf(environment);
			return {
				kind: 'stream',
				batches: streamLog({source, signal, filter, follow, sinceStart, last, exitStatus, onWait}),
			};
		}

		const params = await pathOf(environment, signal);
		const answer = await client.getEnvironmentLogs({params}, signal);
		const all = answer.logs ? answer.logs.replace(/\n$/, '').split('\n') : [];
		const items = createLineCounter(filter).lines(all);
		if (items.length === 0) {
			interact.say(
				all.length === 0 ? 'The log is empty.' : `The filters hide all ${formatAmount(all.length, 'line')}.`,
			);
		}

		return {
			kind: 'lines',
			lines: items.map(({text}) => text),
			colored: true,
			data: originalOf(answer),
			records: items.map(({data}) => data),
		};
	},
});
