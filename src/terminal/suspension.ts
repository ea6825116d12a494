import type {ModeSwitches, TerminalMode} from './terminal-modes.ts';

/** The signals that end the process. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';
export type HookedEvent = EndSignal | 'SIGTSTP' | 'SIGCONT' | 'exit' | 'uncaughtExceptionMonitor';

/** The part of `process` that is used. */
export type ProcessHooks = {
	readonly pid: number;
	on: (event: HookedEvent, listener: () => void) => unknown;
	off: (event: HookedEvent, listener: () => void) => unknown;
	kill: (pid: number, signal: NodeJS.Signals) => unknown;
};

/** How long after the end of a program that had the terminal its Ctrl+C may reach us: the system sends it to both, one after the other. */
const lateKeyMs = 50;

/** How long the shell has to stop us after SIGTSTP, before we continue by ourselves. */
const stopTimeoutMs = 100;

type SuspensionOptions = {
	readonly process: ProcessHooks;
	/** Called when the process continues, before the modes are on again. */
	readonly onContinue?: (() => void) | undefined;
	/** Called when the modes are on again. */
	readonly onResume?: (() => void) | undefined;
	readonly modes: ModeSwitches;
	readonly release: (isDrawing: boolean) => void;
};

/**
 * Stops the process as the shell expects it, or lends the terminal to another program, and restores the modes when it
 * continues.
 */
export function createSuspension({process, onContinue, onResume, modes, release}: SuspensionOptions) {
	/** The modes to restore; undefined while we are not suspended. */
	let suspended: readonly TerminalMode[] | undefined;
	let timer: NodeJS.Timeout | undefined;
	/** True while another program has the terminal. A shell stops and continues both of us together. */
	let isLent = false;
	let late: NodeJS.Timeout | undefined;

	const cancel = () => {
		suspended = undefined;
		clearTimeout(timer);
	};

	const resume = () => {
		if (isLent) {
			return;
		}

		onContinue?.();
		const restored = suspended ?? modes.enabled();
		cancel();
		restore(modes, restored);
		process.off('SIGTSTP', suspend);
		process.on('SIGTSTP', suspend);
		onResume?.();
	};

	const suspend = () => {
		if (suspended) {
			return;
		}

		suspended = modes.enabled();
		modes.reset();
		release(suspended.includes('drawing'));
		// Without our listener the signal stops the whole job, as a shell expects: us and the program that started us.
		process.off('SIGTSTP', suspend);
		process.kill(0, 'SIGTSTP');
		// The system doesn't stop a job without a shell, since nothing could continue it: then we resume. With the input
		// stopped this timer also keeps the process alive until SIGCONT is handled, which runs first.
		timer = setTimeout(() => setImmediate(() => suspended && resume()), stopTimeoutMs);
	};

	const lend = async <T>(use: () => Promise<T>): Promise<T> => {
		suspended = modes.enabled();
		modes.reset();
		release(suspended.includes('drawing'));
		isLent = true;
		// Without our listener Ctrl+Z stops us together with the program.
		process.off('SIGTSTP', suspend);
		try {
			return await use();
		} finally {
			isLent = false;
			clearTimeout(late);
			late = setTimeout(() => {
				late = undefined;
			}, lateKeyMs).unref();
			resume();
		}
	};

	return {
		suspend,
		resume,
		cancel,
		lend,
		isLent: () => isLent,
		/** Returns true while the signal of a key is for the other program. */
		lendsKeys: () => isLent || late !== undefined,
	};
}

/** Switches exactly these modes on: another program may have changed them meanwhile. */
function restore(modes: ModeSwitches, restored: readonly TerminalMode[]): void {
	modes.reset();
	for (const mode of restored) {
		modes.enable(mode);
	}
}
