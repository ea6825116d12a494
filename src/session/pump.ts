/** How long events are collected before they are applied: 30 paints a second at most. */
const intervalMs = 33;

type Pump<T> = {
	/** Adds one item. It is applied with its neighbors, at once if none came for a while. */
	readonly push: (item: T) => void;
	/** Applies the items that wait, now. */
	readonly flush: () => void;
};

type Clock = {
	readonly now: () => number;
	readonly setTimeout: (run: () => void, delayMs: number) => unknown;
};

const realClock: Clock = {
	now: () => performance.now(),
	setTimeout: (run, delayMs) => setTimeout(run, delayMs),
};

/** Creates a pump, which groups items into batches of 33 ms, so that a burst of tokens costs one render. It keeps their order. */
export function createPump<T>(apply: (items: readonly T[]) => void, clock = realClock): Pump<T> {
	let waiting: T[] = [];
	let scheduled = false;
	let last = Number.NEGATIVE_INFINITY;

	const flush = () => {
		if (waiting.length > 0) {
			const items = waiting;
			waiting = [];
			last = clock.now();
			apply(items);
		}
	};

	return {
		push(item) {
			waiting.push(item);
			if (!scheduled) {
				scheduled = true;
				const delayMs = Math.max(0, Math.min(intervalMs, last + intervalMs - clock.now()));
				clock.setTimeout(() => {
					scheduled = false;
					flush();
				}, delayMs);
			}
		},
		flush,
	};
}
