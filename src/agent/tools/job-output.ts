import {setTimeout as sleep} from 'node:timers/promises';
import * as z from 'zod/mini';
import {abortable} from '../../core/abortable.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {CommandSession} from './command/command-session.ts';
import {commandResult} from './command-result.ts';
import {defineTool} from './define-tool.ts';

const maxWaitSec = 300;

export const jobArgument = z
	.string()
	.check(z.minLength(1), z.maxLength(50), z.describe('Number of the job, such as 1.'));

export function createJobOutput({jobs}: CommandSession): Tool {
	return defineTool({
		name: 'job_output',
		description:
			'Read what a background job of run_command has written since the last call, and whether it still runs. With ' +
			'wait_sec it waits that long for the job to end.',
		readOnly: true,
		readOn: 'Call it again for what comes next.',
		arguments: z.strictObject({
			job: jobArgument,
			wait_sec: z.optional(
				z.int().check(z.minimum(0), z.maximum(maxWaitSec), z.describe('Seconds to wait for its end, 0 by default.')),
			),
		}),

		async run({job: id, wait_sec: waitSec = 0}, context) {
			const {signal, onStyles} = context;
			const job = jobs.find(id);
			if (waitSec > 0 && job.isRunning()) {
				const over = new AbortController();
				const time = sleep(waitSec * 1000, undefined, {signal: over.signal}).catch(() => undefined);
				await abortable(Promise.race([job.done, time]), signal).finally(() => over.abort());
			}

			const output = job.takeOutput();
			onStyles?.(output);
			const below = [`[job ${job.id}: ${job.state('model')}]`, ...jobs.takeNews(job)];
			return commandResult({text: output.text, below, end: job.endFacts(), none: '(no new output)'}, context);
		},
	});
}
