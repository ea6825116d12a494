/** From what is of the least interest to what is of the most. */
const logLevels = ['info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** One thing that happened, with what a machine may filter by. No field ever holds a secret or a body. */
export type LogEntry = {
	readonly level: LogLevel;
	readonly message: string;
	readonly [field: string]: string | number | boolean | null | undefined;
};

export type Log = (entry: LogEntry) => void;

/** What is written of an error that is a bug: where it came from, too. */
export function traceOf(error: unknown): string | undefined {
	return error instanceof Error ? error.stack : String(error);
}

type Options = {
	/** What is of less interest is left out. */
	readonly least?: LogLevel;
	readonly now?: () => Date;
};

/** Writes each entry as one line of JSON with its time. */
export function jsonLog(write: (line: string) => void, {least = 'info', now = () => new Date()}: Options = {}): Log {
	const order = logLevels.indexOf(least);
	return entry => {
		if (logLevels.indexOf(entry.level) >= order) {
			write(`${JSON.stringify({time: now().toISOString(), ...entry})}\n`);
		}
	};
}
