/** The signals that end the process. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
export type EndSignal = (typeof endSignals)[number];
export type HookedEvent = EndSignal | 'SIGTSTP' | 'SIGCONT' | 'exit' | 'uncaughtExceptionMonitor';

/** The part of `process` that is used. */
export type ProcessHooks = {
	readonly pid: number;
	on: (event: HookedEvent, listener: () => void) => unknown;
	off: (event: HookedEvent, listener: () => void) => unknown;
	kill: (pid: number, signal: NodeJS.Signals) => unknown;
};
