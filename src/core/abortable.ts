/**
 * Waits for `promise` until `signal` aborts, then throws the signal's reason. The promise itself isn't cancelled: a
 * later failure of it is ignored.
 */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		if (signal.aborted) {
			abort();
		}

		signal.addEventListener('abort', abort, {once: true});
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
	});
}

/** Waits like `abortable`, but for up to `graceMs` after the abort: what has begun may end in that time. */
export async function abortableAfter<Value>(
	promise: Promise<Value>,
	signal: AbortSignal,
	graceMs: number,
): Promise<Value> {
	const late = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const abort = () => {
		timer = setTimeout(() => late.abort(signal.reason), graceMs);
	};
	if (signal.aborted) {
		abort();
	}

	signal.addEventListener('abort', abort, {once: true});
	try {
		return await abortable(promise, late.signal);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener('abort', abort);
	}
}
