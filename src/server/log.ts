/** One thing that happened, with what a machine may filter by. No field ever holds a secret, a path parameter or a body. */
export type LogEntry = {
	readonly level: 'info' | 'warn' | 'error';
	readonly message: string;
	readonly [field: string]: string | number | boolean | null | undefined;
};

export type Log = (entry: LogEntry) => void;

/** Writes each entry as one line of JSON with its time. */
export function jsonLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
	return entry => write(`${JSON.stringify({time: now().toISOString(), ...entry})}\n`);
}
