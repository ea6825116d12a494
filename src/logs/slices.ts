/** Longest stretch of work in milliseconds before keys and timers get their turn. */
const slice = 8;

/** Runs work that comes in steps to its end. */
export function runSteps<Value>(steps: Generator<void, Value>): Value {
	for (;;) {
		const {done, value} = steps.next();
		if (done) {
			return value;
		}
	}
}

/**
 * Runs the same work in slices of 8 ms, with a turn of the event loop between them. A step must be short. Throws the
 * reason of `signal` once it is aborted.
 */
export async function runInSlices<Value>(steps: Generator<void, Value>, signal: AbortSignal): Promise<Value> {
	let begun = performance.now();
	for (;;) {
		const {done, value} = steps.next();
		if (done) {
			return value;
		}

		if (performance.now() - begun > slice) {
			await turn();
			signal.throwIfAborted();
			begun = performance.now();
		}
	}
}

/** One turn of the event loop: everything that waits for it gets its chance. */
export async function turn(): Promise<void> {
	await new Promise<void>(resolve => setImmediate(resolve));
}
