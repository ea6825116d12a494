/** How long events are gathered before they are applied, in milliseconds: 30 paints a second at most. */
const interval = 33;

export type Pump<T> = {
	/** Takes one item; it is applied with its neighbours, at once when nothing came for a while. */
	push: (item: T) => void;
	/** Applies what waits, now. */
	flush: () => void;
};

type Clock = {
	readonly now: () => number;
	readonly setTimeout: (run: () => void, milliseconds: number) => unknown;
};

const realClock: Clock = {
	now: () => performance.now(),
	setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
};

/** Groups a stream of items into batches of 33 ms, so that a burst of tokens costs one render. Order is kept. */
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
				const wait = Math.max(0, Math.min(interval, last + interval - clock.now()));
				clock.setTimeout(() => {
					scheduled = false;
					flush();
				}, wait);
			}
		},
		flush,
	};
}
