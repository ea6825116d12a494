/** Runs something after so many milliseconds. Returns a function that cancels it. */
export type Later = (run: () => void, milliseconds: number) => () => void;

type Options = {
	/** Publishes what changed. Returns true if it is to be published again soon: a state counts seconds, or lines wait. */
	readonly publish: () => boolean;
	readonly later?: Later | undefined;
	/** Returns how often a state that counts seconds is published, in milliseconds. */
	readonly tickMs: () => number;
};

export type LogUpdates = {
	readonly publish: () => void;
	/** Publishes once for all changes in a short time. */
	readonly publishSoon: () => void;
	readonly cancel: () => void;
};

/** The screen shows new lines at most 15 times a second (LOG-TAIL). */
const intervalMs = 1000 / 15;

/** Creates updates that are throttled for lines, and immediate for states, which must never be stale. */
export function createLogUpdates({publish, tickMs, later = laterByTimer}: Options): LogUpdates {
	let cancel: () => void = () => undefined;
	let publishedAt = Number.NEGATIVE_INFINITY;

	const publishNow = () => {
		cancel();
		publishedAt = performance.now();
		if (publish()) {
			cancel = later(publishNow, tickMs());
		}
	};

	return {
		publish: publishNow,
		publishSoon() {
			cancel();
			cancel = later(publishNow, Math.max(0, publishedAt + intervalMs - performance.now()));
		},
		cancel: () => cancel(),
	};
}

function laterByTimer(run: () => void, milliseconds: number): () => void {
	const timer = setTimeout(run, milliseconds);
	timer.unref();
	return () => clearTimeout(timer);
}
