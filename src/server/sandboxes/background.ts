/** A sandbox that nobody has begun by then, in milliseconds, is not begun any more: its server was ended meanwhile. */
export const beginPatience = 60_000;

/** Work that goes on after the request that began it was answered. */
export type Background = {
	/** Starts work of this name, which must not throw and must end soon after its signal aborts. */
	readonly run: (name: string, work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
	/** Whether work of this name goes on. */
	readonly has: (name: string) => boolean;
	/** Aborts all work and waits for its end; what begins later is aborted from the start. */
	readonly close: () => Promise<void>;
};

export function createBackground(): Background {
	const underway = new Map<string, Promise<void>>();
	const closing = new AbortController();
	return {
		run(name, work) {
			const done = work(closing.signal).finally(() => underway.delete(name));
			underway.set(name, done);
			return done;
		},
		has: name => underway.has(name),
		async close() {
			closing.abort();
			await Promise.allSettled(underway.values());
		},
	};
}
