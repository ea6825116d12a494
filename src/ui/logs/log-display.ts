import type {LogToFollow} from '../../logs/log-to-follow.ts';

/** Shows logs: beside the conversation on a screen, line by line without one. */
export type LogDisplay = {
	/** Starts to show a log. Resolves when the command that opened it is done. */
	readonly follow: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following a log. Returns a summary on one line, '' if it is not open. */
	readonly close: (environment: string) => string;
	/** Closes all logs. Returns their summaries. */
	readonly closeAll: () => readonly string[];
};
