import type {AppStore} from '../store/store.ts';

export type RunningCommands = {
	/** Runs a command under its name, with a signal that `cancel` aborts. */
	readonly run: <T>(name: string, execute: (signal: AbortSignal) => Promise<T>) => Promise<T>;
	/** Aborts every running command. */
	readonly cancel: () => void;
};

/** Keeps track of the commands that run now; the store shows the one that started last. */
export function createRunningCommands(store: AppStore): RunningCommands {
	const running = new Map<AbortController, string>();
	return {
		async run(name, execute) {
			const abort = new AbortController();
			running.set(abort, name);
			store.getState().setBusy(true, name);
			try {
				return await execute(abort.signal);
			} finally {
				running.delete(abort);
				store.getState().setBusy(running.size > 0, [...running.values()].at(-1));
			}
		},
		cancel() {
			for (const abort of running.keys()) {
				abort.abort();
			}
		},
	};
}
