import {setTimeout as sleep} from 'node:timers/promises';
import {type Log, loggingFaults} from './log.ts';

/** Work that is done again and again until it is closed. */
export type Repeated = {
	/** Resolves when it was done for the first time. */
	readonly first: Promise<void>;
	/** Resolves when the work in progress has ended, and begins no other. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly log: Log;
	/** What a fault is logged as. After one, e.g. of the database, the next time catches up. */
	readonly message: string;
	/** How long it waits after each time. */
	readonly everyMs: number;
	/** How long it waits before the first time; not at all by default. */
	readonly afterMs?: number;
};

/** Does work, then waits, and repeats both. Keeps no process alive. */
export function repeat({log, message, everyMs, afterMs = 0}: Options, work: () => Promise<void>): Repeated {
	const closing = new AbortController();
	const {signal} = closing;
	const attempt = loggingFaults(log, message);
	const wait = (ms: number) => sleep(ms, undefined, {signal, ref: false}).catch(() => undefined);
	const begin = async () => {
		if (afterMs > 0) {
			await wait(afterMs);
		}

		if (!signal.aborted) {
			await attempt(work);
		}
	};
	const first = begin();
	const loop = async () => {
		await first;
		for (;;) {
			await wait(everyMs);
			if (signal.aborted) {
				return;
			}

			await attempt(work);
		}
	};
	const ended = loop();
	return {
		first,
		async close() {
			closing.abort();
			await ended;
		},
	};
}
