import {messageOf} from '../../core/error.ts';

/** From least to most severe. */
const logLevels = ['info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** One event with fields to filter by. No field ever contains a secret or a body. */
export type ServerLogEntry = {
	readonly level: LogLevel;
	readonly message: string;
	readonly [field: string]: string | number | boolean | null | undefined;
};

export type Log = (entry: ServerLogEntry) => void;

/** Returns the stack of an error, for bugs. */
export function stackOf(error: unknown): string | undefined {
	return error instanceof Error ? error.stack : String(error);
}

/**
 * Returns a function that does repeated work and logs its faults: one that stays is logged once, until the work succeeds or
 * fails for another reason.
 */
export function loggingFaults(log: Log, message: string): (work: () => Promise<void>) => Promise<void> {
	let last: string | undefined;
	return async work => {
		try {
			await work();
			last = undefined;
		} catch (error) {
			const reason = messageOf(error);
			if (reason !== last) {
				last = reason;
				log({level: 'warn', message, error: reason});
			}
		}
	};
}

type Options = {
	/** Entries below this level are dropped. */
	readonly minLevel?: LogLevel;
	readonly now?: () => Date;
};

/** Returns a log that writes each entry as one JSON line with its time. */
export function jsonLog(write: (line: string) => void, {minLevel = 'info', now = () => new Date()}: Options = {}): Log {
	const order = logLevels.indexOf(minLevel);
	return ({level, message, ...fields}) => {
		if (logLevels.indexOf(level) >= order) {
			write(`${JSON.stringify({ts: now().toISOString(), level, msg: message, ...fields})}\n`);
		}
	};
}
