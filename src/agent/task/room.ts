/** Lets at most so many pieces of work go on at the same time; the others wait in order. */
export type Room = <Value>(signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>;

/** Creates a room. Work whose signal aborts while it waits is never begun: its reason is thrown. */
export function createRoom(places: number): Room {
	let free = places;
	const waiting: (() => void)[] = [];
	return async (signal, work) => {
		while (free === 0) {
			await new Promise<void>(resolve => waiting.push(resolve));
			signal.throwIfAborted();
		}

		free -= 1;
		try {
			return await work();
		} finally {
			free += 1;
			// Also those that no longer want the place are woken, so that the next one gets it.
			for (const wake of waiting.splice(0)) {
				wake();
			}
		}
	};
}
