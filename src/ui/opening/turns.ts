/** Returns a promise, and what resolves it. */
export function deferred(): {readonly promise: Promise<void>; readonly resolve: () => void} {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>(done => {
		resolve = done;
	});
	return {promise, resolve};
}

/** Resolves at the end of this turn of the event loop. */
export function endOfTurn(): Promise<void> {
	return new Promise(resolve => setImmediate(resolve));
}
