import type {UserShell} from '../agent/user-shell.ts';
import {AppError} from '../core/error.ts';
import type {RedrawnOutput} from '../core/output/recorded-output.ts';
import {recordedStyles, type StyleRange} from '../core/output/text-styles.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly newId: () => string;
	readonly workspace: () => string;
	/** Loads what runs commands; left out where there are none. */
	readonly loadShell?: () => Promise<UserShell>;
};

export type UserCommands = {
	/** Runs a command, and records it. Throws AppError("conflict") during a run. */
	readonly run: (command: string, signal: AbortSignal) => Promise<void>;
	/** Does something once no command runs; at once if none does. */
	readonly before: (act: () => Promise<void>) => Promise<void>;
	/** Ends what runs. */
	readonly end: () => Promise<void>;
};

/** Creates the commands that the user runs with `!`. The next message carries their output to the model. */
export function createUserCommands(
	{store, newId, workspace, loadShell}: Dependencies,
	emit: (event: AgentEvent) => void,
): UserCommands {
	const running = new Map<AbortController, Promise<void>>();

	const execute = async (command: string, signal: AbortSignal) => {
		const id = newId();
		emit({type: 'user-command', id, command});
		const onOutput = (text: string, styles: readonly StyleRange[], redrawn?: RedrawnOutput) =>
			emit({type: 'tool-output', id, text, ...recordedStyles(styles), ...redrawn});
		try {
			const runShell = await loadShell?.();
			const end = await runShell?.(command, {folder: workspace(), signal, onOutput});
			emit({type: 'user-command-end', id, ...(end ?? notStarted)});
		} catch (error) {
			emit({type: 'user-command-end', id, ...notStarted, ...(error instanceof AppError && {end: error.message})});
			if (!(error instanceof AppError) && !signal.aborted) {
				throw error;
			}
		}
	};

	return {
		async run(command, signal) {
			if (store.getState().transcript.run) {
				throw new AppError('conflict', "A command can't run while the agent works.", {
					hint: 'Press Esc to interrupt it.',
				});
			}

			const abort = new AbortController();
			const done = execute(command, AbortSignal.any([signal, abort.signal])).finally(() => running.delete(abort));
			running.set(abort, done);
			await done;
		},
		before: act => (running.size === 0 ? act() : Promise.allSettled(running.values()).then(act)),
		async end() {
			for (const abort of running.keys()) {
				abort.abort();
			}

			await Promise.allSettled(running.values());
		},
	};
}

const notStarted = {output: '', end: 'it did not start', status: 'failed', milliseconds: 0} as const;
