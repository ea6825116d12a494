import type {Job} from '../agent/tools/command/jobs.ts';
import {AppError} from '../core/error.ts';
import type {CommandContext} from './context.ts';

/** Returns the job of this number, by default the newest. Throws AppError("not-found"). */
export function findJob(
	number: string | undefined,
	{
		program: {
			session: {jobs},
		},
	}: CommandContext,
): Job {
	const all = jobs();
	const found = number === undefined ? all.at(-1) : all.find(({id}) => id === number);
	if (!found) {
		throw new AppError('not-found', number === undefined ? 'No background jobs.' : `Job ${number} not found.`, {
			hint: 'List them: /jobs',
		});
	}

	return found;
}
