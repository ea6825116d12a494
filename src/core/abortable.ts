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
