import {createContext, Script} from 'node:vm';

/** Returns the processor time that this process has used, in milliseconds. */
export type CpuClock = () => number;

/** Work on each of some lines that the engine can interrupt. */
export type BoundedWork = Script;

type Bounds = {
	/** Processor time in milliseconds for all lines together. */
	readonly cpuMs: number;
	readonly cpuClock?: CpuClock;
};

const processCpuMs: CpuClock = () => {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
};

let context: {lines: readonly string[]; expression: RegExp; found: unknown[]} | undefined;

/**
 * Compiles work from a JavaScript expression of ours that reads `line` and `expression`. Only code in a context with a
 * timeout can be interrupted; it goes on behind the last line that it finished.
 */
export function boundedWork(expression: string): BoundedWork {
	return new Script(
		`while (found.length < lines.length) { const line = lines[found.length]; found.push(${expression}); }`,
	);
}

/**
 * Runs the work on each line and returns its results. The engine interrupts by the clock on the wall, which runs on
 * while a busy machine does something else: so the work goes on until it used up its processor time. Throws the error
 * that `isTimeout` knows.
 */
export function runBounded(
	work: BoundedWork,
	lines: readonly string[],
	expression: RegExp,
	{cpuMs, cpuClock = processCpuMs}: Bounds,
): readonly unknown[] {
	const found: unknown[] = [];
	context ??= Object.assign(createContext({}), {lines, expression, found});
	Object.assign(context, {lines, expression, found});
	try {
		let usedMs = 0;
		let timeout = cpuMs;
		for (;;) {
			const finished = found.length;
			const begun = cpuClock();
			try {
				work.runInContext(context, {timeout});
				return found;
			} catch (error) {
				usedMs += cpuClock() - begun;
				if (!isTimeout(error) || usedMs >= cpuMs) {
					throw error;
				}

				// The line that was interrupted begins again, and needs more time than it got.
				timeout *= found.length === finished ? 2 : 1;
			}
		}
	} finally {
		Object.assign(context, {lines: [], found: []});
	}
}

/** The error may come from the context, whose `Error` is another one. */
export function isTimeout(error: unknown): boolean {
	return (
		typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
	);
}
