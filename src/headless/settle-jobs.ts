import type {Job} from '../agent/tools/command/jobs.ts';
import {abortable} from '../core/abortable.ts';
import {isAbort} from '../core/error.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {truncate} from '../terminal/text/width.ts';
import type {Losses} from './losses.ts';
import type {RunProgress} from './run-progress.ts';

type Options = {
	/** True to wait until the jobs have ended; otherwise they are about to be ended. */
	readonly waits: boolean;
	readonly losses: Pick<Losses, 'warn' | 'note'>;
	readonly progress: Pick<RunProgress, 'show'>;
	readonly signal: AbortSignal;
};

/** Most columns of a command in a sentence. */
const maxCommandWidth = 60;

/** Waits for the background jobs that a run left, until the signal aborts, and records those that fail or don't end by themselves. */
export async function settleJobs(jobs: readonly Job[], {waits, losses, progress, signal}: Options): Promise<void> {
	for (const job of jobs.filter(({isRunning}) => isRunning())) {
		const name = `Job ${job.id} (${truncate(safeLine(job.command), maxCommandWidth)})`;
		if (waits && job.isRunning() && !signal.aborted) {
			progress.show(`Waiting for ${name}`);
			await abortable(job.done, signal).catch(ignoreAbort);
		}

		if (job.isRunning()) {
			const hint = waits ? undefined : 'Wait for such jobs with --wait-jobs.';
			losses.warn(`${name} was still running when the answer was there, and was stopped.`, hint);
		} else if (waits) {
			const say = job.hasFailed() ? losses.warn : losses.note;
			say(`${name}: ${job.state('user')}.`);
		}
	}
}

function ignoreAbort(error: unknown): void {
	if (!isAbort(error)) {
		throw error;
	}
}
