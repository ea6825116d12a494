/**
 * Waits for `promise`, but not longer than until `signal` aborts, then throws the signal's reason. What was waited for
 * may go on unheard: its late failure is swallowed.
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
