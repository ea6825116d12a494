import {createContext, Script} from 'node:vm';

/** Returns the processor time that this process has used, in milliseconds. */
export type CpuClock = () => number;

/** Work on lines that the engine can interrupt. */
type BoundedWork = Script;

/** How long work may take. */
export type WorkBounds = {
	/** Processor time for all lines together. */
	readonly cpuMs: number;
	readonly cpuClock?: CpuClock;
};

const processCpuMs: CpuClock = () => {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
};

let context: {lines: readonly string[]; expression: RegExp; found: unknown[]} | undefined;

/**
 * Compiles work from a JavaScript expression of this program that reads `line` and `expression`. Only code in a context
 * with a timeout can be interrupted; it continues after the last line that it finished. Its loop is a function, because
 * each read of a variable of a context calls out of the engine.
 */
export function boundedWork(expression: string): BoundedWork {
	return new Script(
		`((lines, expression, found) => {
			while (found.length < lines.length) { const line = lines[found.length]; found.push(${expression}); }
		})(lines, expression, found)`,
	);
}

/**
 * Runs the work on each line and returns its results. The engine interrupts by wall time, which also passes while a busy
 * machine runs other processes, so the work continues until its processor time is used up. Throws the error that
 * `isTimeout` detects.
 */
export function runBounded(
	work: BoundedWork,
	lines: readonly string[],
	expression: RegExp,
	{cpuMs, cpuClock = processCpuMs}: WorkBounds,
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

				// The interrupted line starts over, and needs more time.
				timeout *= found.length === finished ? 2 : 1;
			}
		}
	} finally {
		Object.assign(context, {lines: [], found: []});
	}
}

/** Returns true for a timeout. The error may come from the context, which has its own `Error`. */
export function isTimeout(error: unknown): boolean {
	return (
		typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
	);
}
