/** Longest stretch of work before keys and timers are handled. */
const sliceMs = 8;

/** Runs work in steps to its end. */
export function runSteps<Value>(steps: Generator<void, Value>): Value {
	for (;;) {
		const {done, value} = steps.next();
		if (done) {
			return value;
		}
	}
}

/**
 * Runs work in slices of 8 ms, with a turn of the event loop between them. Its steps must be short. Throws the reason of
 * `signal` once it is aborted.
 */
export async function runInSlices<Value>(steps: Generator<void, Value>, signal: AbortSignal): Promise<Value> {
	let startedAt = performance.now();
	for (;;) {
		const {done, value} = steps.next();
		if (done) {
			return value;
		}

		if (performance.now() - startedAt > sliceMs) {
			await turn();
			signal.throwIfAborted();
			startedAt = performance.now();
		}
	}
}

/** Waits for one turn of the event loop. */
export async function turn(): Promise<void> {
	await new Promise<void>(resolve => setImmediate(resolve));
}
