/** Those who wait for one of a limited number of connections, in the order in which they came. */
export type ConnectionQueue = {
	/** Resolves when a connection is free for the caller. Throws an error if none became free for too long. */
	readonly enter: () => Promise<void>;
	/** Frees the connection of the caller. */
	readonly leave: () => void;
	/** Returns how many wait. */
	readonly waiting: () => number;
};

type Waiter = {readonly begin: () => void; readonly fail: (error: Error) => void};

/**
 * Creates a queue for as many connections. However long it is, it only fails while no connection becomes free: a busy
 * database answers late, and one that is away answers nobody.
 */
export function createConnectionQueue(connections: number, stalledMs: number): ConnectionQueue {
	const waiters: Waiter[] = [];
	let free = connections;
	let timer: NodeJS.Timeout | undefined;

	/** Begins to wait for the next one that becomes free. */
	const watch = () => {
		clearTimeout(timer);
		timer = waiters.length === 0 ? undefined : setTimeout(failAll, stalledMs);
	};
	const failAll = () => {
		timer = undefined;
		for (const {fail} of waiters.splice(0)) {
			fail(new Error('timeout exceeded when trying to connect'));
		}
	};

	return {
		async enter() {
			if (free > 0) {
				free--;
				return;
			}

			await new Promise<void>((begin, fail) => {
				waiters.push({begin, fail});
				if (!timer) {
					watch();
				}
			});
		},
		leave() {
			const next = waiters.shift();
			if (next) {
				next.begin();
			} else {
				free++;
			}

			watch();
		},
		waiting: () => waiters.length,
	};
}
