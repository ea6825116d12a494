/** After this time a sandbox that hasn't started won't start any more, because its server has ended. */
export const abandonedAfterMs = 60_000;

/** Work that continues after the response to the request that started it. */
export type BackgroundWork = {
	/** Starts work with this name. It must not throw, and must end soon after its signal aborts. */
	readonly run: (name: string, work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
	/** Returns whether work with this name is in progress. */
	readonly has: (name: string) => boolean;
	/** Aborts all work and waits for it. Work that starts later is aborted immediately. */
	readonly close: () => Promise<void>;
};

export function createBackground(): BackgroundWork {
	const running = new Map<string, Promise<void>>();
	const closing = new AbortController();
	return {
		run(name, work) {
			const done = work(closing.signal).finally(() => running.delete(name));
			running.set(name, done);
			return done;
		},
		has: name => running.has(name),
		async close() {
			closing.abort();
			await Promise.allSettled(running.values());
		},
	};
}
