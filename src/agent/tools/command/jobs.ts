import {AppError} from '../../../core/error.ts';
import {describeEnd, type Finish} from './describe-end.ts';
import type {StartedCommand} from './start-command.ts';

/** A command in the background. */
export type Job = {
	readonly id: string;
	readonly command: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	/** How it ended; undefined while it runs. */
	readonly finish: () => Finish | undefined;
	readonly started: StartedCommand;
	/** Resolves when it has ended. */
	readonly done: Promise<void>;
};

export type Jobs = {
	/** Adds a command. Throws AppError("conflict") if too many run. */
	readonly add: (command: string, started: StartedCommand, timeoutMs: number) => Job;
	/** Throws AppError("conflict") if too many jobs run for one more. */
	readonly assertRoom: () => void;
	readonly list: () => readonly Job[];
	/** Returns the job of this id, with or without `job` before it. Throws AppError("not-found"). */
	readonly find: (id: string) => Job;
	/** Returns a line for each job that ended since the last call, but for those that were asked about. */
	readonly takeNews: () => readonly string[];
	/** Forgets that the end of a job is news: the model has read it. */
	readonly markKnown: (id: string) => void;
	readonly clear: () => void;
};

const maxRunning = 16;
/** Ended jobs that are kept to be read. */
const maxEnded = 32;

/** Creates the background jobs of a session. */
export function createJobs(onJobs: (running: number) => void = () => undefined): Jobs {
	const jobs = new Map<string, Job>();
	const news = new Set<string>();
	let count = 0;
	const running = () => [...jobs.values()].filter(job => !job.finish());

	const assertRoom = () => {
		if (running().length >= maxRunning) {
			throw new AppError('conflict', `${maxRunning} jobs are running already.`, {
				hint: 'Stop one with job_stop first.',
			});
		}
	};

	const forgetOldest = () => {
		const ended = [...jobs.values()].filter(job => job.finish());
		for (const {id} of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
			jobs.delete(id);
			news.delete(id);
		}
	};

	return {
		assertRoom,
		add(command, started, timeoutMs) {
			const startedAt = Date.now();
			let finish: Finish | undefined;
			let isTimedOut = false;
			const timer = setTimeout(() => {
				isTimedOut = true;
				void started.stop();
			}, timeoutMs);
			const id = String(++count);
			const done = started.ended
				.then(
					ended => ended,
					(error: Error) => ({status: null, signal: null, problem: error.message}),
				)
				.then(ended => {
					clearTimeout(timer);
					finish = {...ended, milliseconds: Date.now() - startedAt, ...(isTimedOut && {timeoutMs})};
					if (jobs.has(id)) {
						news.add(id);
						forgetOldest();
						onJobs(running().length);
					}
				});
			const job = {id, command, startedAt, finish: () => finish, started, done};
			jobs.set(id, job);
			onJobs(running().length);
			return job;
		},
		list: () => [...jobs.values()],
		find(given) {
			const job = jobs.get(given.trim().replace(/^job\s*/i, ''));
			if (!job) {
				const ids = [...jobs.keys()].map(id => `job ${id}`).join(', ');
				throw new AppError('not-found', `Job not found: “${given}”.`, {
					hint: ids ? `Jobs of this session: ${ids}.` : 'This session has no jobs.',
				});
			}

			return job;
		},
		takeNews() {
			const ended = [...news].flatMap(id => jobs.get(id) ?? []);
			news.clear();
			return ended.map(job => {
				const finish = job.finish();
				return `[job ${job.id} ended: ${finish ? describeEnd(finish) : ''}. Read it with job_output.]`;
			});
		},
		markKnown: id => void news.delete(id),
		clear() {
			jobs.clear();
			news.clear();
			onJobs(0);
		},
	};
}
