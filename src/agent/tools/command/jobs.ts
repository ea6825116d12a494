import {AppError} from '../../../core/error.ts';
import {formatDuration} from '../../../core/format.ts';
import {redactKnown} from '../../../core/secrets/redact.ts';
import {redactPositions} from '../../../core/secrets/redact-positions.ts';
import type {ToolFacts} from '../../../core/session/event.ts';
import type {CommandOutput} from './command-output.ts';
import {describeEnd, endFacts, type Finish} from './describe-end.ts';
import type {StartedCommand} from './start-command.ts';

/** A command in the background. */
export type Job = {
	readonly id: string;
	/** The command, without credentials. */
	readonly command: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly isRunning: () => boolean;
	/** True if it has ended in any other way than with status 0. */
	readonly hasFailed: () => boolean;
	/** Returns whether it runs or how it ended, in a few words; for the user status 0 is just `done`. */
	readonly state: (reader: 'model' | 'user') => string;
	/** Returns the same for the result of a call. */
	readonly endFacts: () => Pick<ToolFacts, 'status' | 'end'>;
	/** Returns what it has written since the last call, for the model. */
	readonly takeOutput: CommandOutput['take'];
	/** Returns the last lines so far, without credentials, with their styles. */
	readonly lastOutput: CommandOutput['lastOutput'];
	readonly lastLine: () => string;
	/** Ends it with all its processes. Resolves when they have ended. */
	readonly stop: (by: 'model' | 'user') => Promise<void>;
	/** Resolves when it has ended. */
	readonly done: Promise<void>;
};

export type Jobs = {
	/** Adds a command that started, which may have credentials in it. */
	readonly add: (command: string, started: StartedCommand) => Job;
	/** Throws AppError("conflict") if too many jobs run for one more. */
	readonly assertRoom: () => void;
	readonly list: () => readonly Job[];
	/** Returns the job of this id, with or without `job` before it. Throws AppError("not-found"). */
	readonly find: (id: string) => Job;
	/** Returns a line for each job that ended since the last call, but for those in `known`. */
	readonly takeNews: (known?: Job) => readonly string[];
	/** Ends those that run, and forgets all. */
	readonly end: () => Promise<void>;
};

/** A job is stopped at last after this time. */
const timeoutMs = 12 * 60 * 60 * 1000;
const maxRunning = 16;
/** Ended jobs that are kept to be read. */
const maxEnded = 32;

/** Returns a command as it is kept and told: without credentials (SAFETY 8). The question shows it whole. */
export function shownCommand(command: string): string {
	return redactPositions(redactKnown(command));
}

/** Returns what the model reads of a command that goes on as a job. */
export function startedText({id}: Job): string {
	return `Started as job ${id}. Read it with job_output, end it with job_stop.`;
}

/** Returns the same in a few words for the user, as the end of a command that became a job. */
export function movedText({id}: Job): string {
	return `in the background as job ${id}`;
}

export type JobEvents = {
	/** Gets the number of jobs that run, whenever it changes. */
	readonly onJobs?: (running: number) => void;
	/** Gets a job that has ended, unless somebody stopped it. */
	readonly onJobEnd?: (job: Job) => void;
};

/** Creates the background jobs of a session. */
export function createJobs({onJobs = () => undefined, onJobEnd = () => undefined}: JobEvents = {}): Jobs {
	const jobs = new Map<string, Job>();
	const news = new Set<string>();
	let count = 0;
	const running = () => [...jobs.values()].filter(job => job.isRunning());

	const onEnd = (id: string, isStopped: boolean) => {
		const job = jobs.get(id);
		if (!job) {
			return;
		}

		news.add(id);
		const ended = [...jobs.values()].filter(job => !job.isRunning());
		for (const oldest of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
			jobs.delete(oldest.id);
			news.delete(oldest.id);
		}

		onJobs(running().length);
		if (!isStopped) {
			onJobEnd(job);
		}
	};

	return {
		add(command, started) {
			const id = String(++count);
			const job = createJob({id, command: shownCommand(command), started, onEnd: isStopped => onEnd(id, isStopped)});
			jobs.set(id, job);
			onJobs(running().length);
			return job;
		},
		assertRoom() {
			if (running().length >= maxRunning) {
				throw new AppError('conflict', `${maxRunning} jobs are running already.`, {
					hint: 'Stop one with job_stop first.',
				});
			}
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
		takeNews(known) {
			const ended = [...news].flatMap(id => (id === known?.id ? [] : (jobs.get(id) ?? [])));
			news.clear();
			return ended.map(job => `[job ${job.id}: ${job.state('model')}. Read it with job_output.]`);
		},
		async end() {
			await Promise.all(running().map(job => job.stop('user')));
			jobs.clear();
			news.clear();
			onJobs(0);
		},
	};
}

type JobOptions = Pick<Job, 'id' | 'command'> & {
	readonly started: StartedCommand;
	readonly onEnd: (isStopped: boolean) => void;
};

function createJob({id, command, started, onEnd}: JobOptions): Job {
	const {output, stop, ended, startedAt} = started;
	let finish: Finish | undefined;
	let reason: Pick<Finish, 'timeoutMs' | 'stoppedBy'> = {};
	const timer = setTimeout(() => {
		reason = {timeoutMs};
		void stop();
	}, timeoutMs);
	const done = ended
		.catch((error: Error) => ({status: null, signal: null, problem: error.message}))
		.then(result => {
			clearTimeout(timer);
			finish = {...result, ...reason, milliseconds: Date.now() - startedAt};
			onEnd(reason.stoppedBy !== undefined);
		});
	return {
		id,
		command,
		startedAt,
		done,
		isRunning: () => finish === undefined,
		hasFailed: () => finish !== undefined && (finish.status !== 0 || finish.timeoutMs !== undefined),
		state: reader => (finish ? describeEnd(finish, reader) : `running for ${formatDuration(Date.now() - startedAt)}`),
		endFacts: () => (finish ? endFacts(finish) : {end: `running for ${formatDuration(Date.now() - startedAt)}`}),
		takeOutput: output.take,
		lastOutput: output.lastOutput,
		lastLine: () => output.lastLines().findLast(line => line.trim()) ?? '',
		async stop(by) {
			if (!finish) {
				reason = {stoppedBy: by};
			}

			await stop();
			await done;
		},
	};
}
