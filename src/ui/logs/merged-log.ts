import {createLogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import {lineTime} from '../../logs/structured.ts';

/** Entries by their place, as the panel and the viewer read them. */
export type LogEntries = {
	readonly at: (place: number) => LogEntry | undefined;
	/** Returns the place of the oldest entry. */
	readonly start: () => number;
	/** Returns the place of the next entry to come. */
	readonly end: () => number;
	/** Returns the environment of an entry, if there are several. */
	readonly environmentAt?: (place: number) => string | undefined;
	/** Returns how the lines of several logs are ordered. */
	readonly order?: () => MergedOrder;
};

/** How the lines of several logs are ordered: `late` counts those that came too late for their place. */
export type MergedOrder = {readonly by: 'time' | 'arrival'; readonly late: number};

export type MergedLog = LogEntries & {
	/** Adds an entry of one log, which arrived at `now`; `settle` decides when it gets its place. */
	readonly push: (environment: string, entry: LogEntry, now: number) => void;
	/**
	 * Places entries that no earlier line can precede any more, at most `windowMs` after they arrived. Only
	 * the logs in `live` can bring more. Returns true if some still wait.
	 */
	readonly settle: (now: number, live: readonly string[]) => boolean;
	/** Returns the other logs, once one is closed. */
	readonly without: (environment: string) => MergedLog;
	/** Returns the same entries in a log in which none has its place yet, so that another log can be merged with them. */
	readonly reopened: (now: number) => MergedLog;
};

type Waiting = {readonly entry: LogEntry; readonly time: number; readonly isOwn: boolean; readonly arrivedAt: number};

/** The entries of one log that have no place yet, in their order, and the last time that a line of it named. */
type Queue = {waiting: Waiting[]; first: number; lastTime: number | undefined};

/** Most entries in one order; their text is limited like that of a single log. */
const maxEntries = 50_000;
/** How long a line waits for earlier ones of a log that says nothing. */
export const windowMs = 2000;

/**
 * Creates several logs as one, ordered by the times that their lines name; a line without one follows the line before it,
 * or stands at its arrival. Lines of one log keep their order, and a line that has its place stays there. It keeps its own
 * entries: what the buffer of a busy log drops is still among the lines of a quiet one.
 */
export function createMergedLog(): MergedLog {
	const buffer = createLogBuffer({entries: maxEntries});
	const environments: string[] = [];
	const queues = new Map<string, Queue>();
	const untimed = new Set<string>();
	let late = 0;
	let lastTime = Number.NEGATIVE_INFINITY;
	const {at, start, end} = buffer;
	const environmentAt = (place: number) => (at(place) ? environments[place % maxEntries] : undefined);

	const append = (environment: string, entry: LogEntry) => {
		environments[end() % maxEntries] = environment;
		buffer.push(entry);
	};

	const push = (environment: string, entry: LogEntry, now: number) => {
		const queue = queues.get(environment) ?? {waiting: [], first: 0, lastTime: undefined};
		queues.set(environment, queue);
		const own = entry.kind === 'line' ? lineTime(entry.text) : undefined;
		queue.lastTime = own ?? queue.lastTime;
		const time = queue.lastTime ?? entry.at;
		queue.waiting.push({entry, time, isOwn: queue.lastTime !== undefined, arrivedAt: now});
	};

	const headOf = ({waiting, first}: Queue) => waiting[first];

	const settle = (now: number, live: readonly string[]) => {
		for (;;) {
			const heads = [...queues].flatMap(([environment, queue]) => {
				const head = headOf(queue);
				return head ? [{environment, queue, head}] : [];
			});
			const [earliest, ...others] = heads;
			if (!earliest) {
				return false;
			}

			const isDue = heads.some(({head}) => now - head.arrivedAt >= windowMs || now < head.arrivedAt);
			// The next line of a log without times stands at its arrival, behind all that is here.
			const isUntimed = (environment: string) => queues.get(environment)?.lastTime === undefined;
			const isKnown = live.every(
				environment =>
					heads.some(head => head.environment === environment) || (queues.has(environment) && isUntimed(environment)),
			);
			if (!isDue && !isKnown) {
				return true;
			}

			const next = others.reduce((least, one) => (one.head.time < least.head.time ? one : least), earliest);
			take(next.queue);
			const {entry, time, isOwn} = next.head;
			late += entry.kind === 'line' && time < lastTime ? 1 : 0;
			lastTime = Math.max(lastTime, time);
			if (entry.kind === 'line' && !isOwn) {
				untimed.add(next.environment);
			}

			append(next.environment, entry);
		}
	};

	const copyTo = (rest: MergedLog, isKept: (environment: string) => boolean, now: number) => {
		for (let place = start(); place < end(); place++) {
			const [entry, owner] = [at(place), environmentAt(place)];
			if (entry && owner !== undefined && isKept(owner)) {
				rest.push(owner, entry, now);
			}
		}
	};
	const copyWaiting = (rest: MergedLog, isKept: (environment: string) => boolean) => {
		for (const [owner, {waiting, first}] of queues) {
			for (const {entry, arrivedAt} of isKept(owner) ? waiting.slice(first) : []) {
				rest.push(owner, entry, arrivedAt);
			}
		}
	};

	return {
		at,
		start,
		end,
		environmentAt,
		push,
		settle,
		order: () => ({by: untimed.size > 0 ? 'arrival' : 'time', late}),
		without(environment) {
			const rest = createMergedLog();
			const isKept = (owner: string) => owner !== environment;
			copyTo(rest, isKept, 0);
			// Those that had their places have them again.
			rest.settle(0, []);
			copyWaiting(rest, isKept);
			return rest;
		},
		reopened(now) {
			const all = createMergedLog();
			copyTo(all, () => true, now);
			copyWaiting(all, () => true);
			return all;
		},
	};
}

/** Removes the first entry of a queue. */
function take(queue: Queue): void {
	queue.first++;
	if (queue.first > 1000 && queue.first * 2 > queue.waiting.length) {
		queue.waiting = queue.waiting.slice(queue.first);
		queue.first = 0;
	}
}
