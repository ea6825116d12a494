import type {Job, Jobs} from './jobs.ts';
import type {Ended, StartedCommand} from './start-command.ts';

type Waiting = {
	/** The command, which may have credentials in it. */
	readonly command: string;
	readonly started: StartedCommand;
	/** Ends the command, unless it is a job by then. */
	readonly signal: AbortSignal;
	/** Gets the job before anything else happens. */
	readonly onJob?: ((job: Job) => void) | undefined;
};

/** How the wait for a command ended: with the command, or because it is a job now. */
export type Waited =
	| {readonly ended: Ended; readonly job?: undefined}
	| {readonly job: Job; readonly ended?: undefined};

/** The commands of a session that a call or the user waits for. */
export type Foreground = {
	/** Waits for a command until it has ended or is a job. Throws `AppError` if it can't start. */
	readonly wait: (waiting: Waiting) => Promise<Waited>;
	/** Turns each command that is waited for and isn't being ended into a job. Throws AppError("conflict") if too many jobs run. */
	readonly moveToBackground: () => void;
};

/** Creates the foreground of a session. `onCount` gets the number of commands in it, whenever that changes. */
export function createForeground(
	jobs: Pick<Jobs, 'add' | 'assertRoom'>,
	onCount: (count: number) => void = () => undefined,
): Foreground {
	const moves = new Set<() => void>();
	return {
		async wait({command, started, signal, onJob}) {
			let move = () => {};
			const leave = () => {
				if (moves.delete(move)) {
					onCount(moves.size);
				}
			};
			const end = () => {
				leave();
				void started.stop();
			};
			const moved = new Promise<Job>(resolve => {
				move = () => {
					jobs.assertRoom();
					signal.removeEventListener('abort', end);
					leave();
					const job = jobs.add(command, started);
					onJob?.(job);
					resolve(job);
				};
			});
			moves.add(move);
			onCount(moves.size);
			signal.addEventListener('abort', end, {once: true});
			if (signal.aborted) {
				end();
			}

			try {
				return await Promise.race([started.ended.then(ended => ({ended})), moved.then(job => ({job}))]);
			} finally {
				signal.removeEventListener('abort', end);
				leave();
			}
		},
		moveToBackground() {
			for (const move of [...moves]) {
				move();
			}
		},
	};
}
