/** The time limit of a call: it counts from the last sign of life, and not while the user is asked. */
export type CallLimit = {
	/** Aborts once the time is over. */
	readonly signal: AbortSignal;
	/** The server did something, or may take its time again. */
	readonly touch: () => void;
	readonly end: () => void;
};

/** Starts the limit of a call. `isPaused` returns true while the user is asked. */
export function createCallLimit(timeoutMs: number, isPaused: () => boolean): CallLimit {
	const stop = new AbortController();
	let timer: NodeJS.Timeout;
	const touch = () => {
		clearTimeout(timer);
		timer = setTimeout(() => (isPaused() ? touch() : stop.abort()), timeoutMs);
	};
	touch();
	return {signal: stop.signal, touch, end: () => clearTimeout(timer)};
}
