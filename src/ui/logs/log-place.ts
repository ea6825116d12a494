import type {LogToFollow} from '../../logs/log-to-follow.ts';

/** Where the app follows logs: beside the conversation on a screen, line by line without one. */
export type LogPlace = {
	/** Begins to show a log. Resolves when the command that asked for it is over, be it at once. */
	readonly follow: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following a log. Gives what came of it in one line, '' for one that is not open. */
	readonly close: (environment: string) => string;
	/** The same for all of them. */
	readonly closeAll: () => readonly string[];
};
