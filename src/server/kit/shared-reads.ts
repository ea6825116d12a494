/** How many results are kept. */
const maxKept = 64;

/** Reads in progress, and results that can't change any more, so that one read serves all who ask the same. */
export type SharedReads<Result> = {
	/** Returns the result of a read in progress with this key, or reads. */
	readonly join: (key: string, read: () => Promise<Result>) => Promise<Result>;
	/** The same for a result that must be no older than the question: joins only a read that hasn't begun yet. */
	readonly joinNext: (key: string, read: () => Promise<Result>) => Promise<Result>;
	/** The same as `join`, and keeps the result for later: what it reads must always be the same. */
	readonly keep: (key: string, read: () => Promise<Result>) => Promise<Result>;
};

/** A read in progress, and the one that begins after it. */
type Running<Result> = {readonly result: Promise<Result>; next?: Promise<Result>};

export function createSharedReads<Result>(): SharedReads<Result> {
	const running = new Map<string, Running<Result>>();
	const kept = new Map<string, Promise<Result>>();
	const begin = (key: string, read: () => Promise<Result>): Promise<Result> => {
		const started: Running<Result> = {result: read()};
		running.set(key, started);
		const settle = () => {
			// Otherwise the next one takes its place.
			if (!started.next) {
				running.delete(key);
			}
		};
		started.result.then(settle, settle);
		return started.result;
	};
	return {
		join: (key, read) => running.get(key)?.result ?? begin(key, read),
		joinNext(key, read) {
			const before = running.get(key);
			if (!before) {
				return begin(key, read);
			}

			const follow = () => begin(key, read);
			before.next ??= before.result.then(follow, follow);
			return before.next;
		},
		keep(key, read) {
			const known = kept.get(key);
			if (known) {
				return known;
			}

			const started = read();
			kept.set(key, started);
			started.catch(() => kept.delete(key));
			if (kept.size > maxKept) {
				// The oldest one is first.
				kept.delete(kept.keys().next().value ?? '');
			}

			return started;
		},
	};
}
