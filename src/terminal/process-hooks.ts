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
