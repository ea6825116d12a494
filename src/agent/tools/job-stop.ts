import * as z from 'zod/mini';
import type {Tool} from '../../core/session/tool.ts';
import type {CommandSession} from './command/command-session.ts';
import {defineTool} from './define-tool.ts';
import {jobArgument} from './job-output.ts';

export function createJobStop({jobs}: CommandSession): Tool {
	return defineTool({
		name: 'job_stop',
		description:
			'Stop a background job of run_command with all its processes. Returns what it has written since the last call.',
		readOnly: false,
		arguments: z.strictObject({job: jobArgument}),

		async run({job: id}, {onStyles}) {
			const job = jobs.find(id);
			await job.stop('model');
			const output = job.takeOutput();
			onStyles?.(output);
			return [output.text || '(no new output)', `[job ${job.id}: ${job.state('model')}]`, ...jobs.takeNews(job)].join(
				'\n',
			);
		},
	});
}
