import type {ServerResponse} from 'node:http';

/** The requests that a server is answering. */
export type InProgress = {
	/** Their number. */
	readonly count: () => number;
	/** Adds a request until its answer is sent or its connection has ended, and `work` is done, which must not reject. */
	readonly add: (outgoing: ServerResponse, work: Promise<unknown>) => void;
	/** Waits until none is left, for a limited time. */
	readonly settle: (timeoutMs: number) => Promise<void>;
	/** Calls a function with the response of each. */
	readonly each: (visit: (outgoing: ServerResponse) => void) => void;
};

/** Counts a server's requests, because their work may outlast their connections. */
export function createInProgress(): InProgress {
	const requests = new Map<ServerResponse, Promise<unknown>>();
	return {
		count: () => requests.size,
		add(outgoing, work) {
			const closed = new Promise<void>(resolve => outgoing.once('close', resolve));
			requests.set(
				outgoing,
				Promise.all([work, closed]).then(() => requests.delete(outgoing)),
			);
		},
		async settle(timeoutMs) {
			let timer: NodeJS.Timeout | undefined;
			const timeout = new Promise<void>(resolve => {
				timer = setTimeout(resolve, timeoutMs);
			});
			await Promise.race([Promise.all(requests.values()), timeout]);
			clearTimeout(timer);
		},
		each: visit => [...requests.keys()].forEach(visit),
	};
}
