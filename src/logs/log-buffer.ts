import type {LogEntry} from './log-entry.ts';

/** A ring of entries that drops the oldest ones. An entry is found by its place, counted from the first one ever added. */
export type LogBuffer = {
	readonly push: (entry: LogEntry) => void;
	/** Returns the entry at a place; undefined if it was dropped or is yet to come. */
	readonly at: (place: number) => LogEntry | undefined;
	/** Returns the kept entries from a place on. */
	readonly entriesFrom: (place: number) => readonly LogEntry[];
	/** Returns the place of the oldest kept entry. */
	readonly start: () => number;
	/** Returns the place of the next entry to come. */
	readonly end: () => number;
	/** Returns the number of dropped lines. */
	readonly droppedLines: () => number;
	/** Returns the memory in use, in bytes. */
	readonly bytes: () => number;
};

type Limits = {readonly entries?: number; readonly bytes?: number};

/** Returns an upper bound: a string has at most two bytes a character, and an entry has some overhead. */
const bytesOf = (entry: LogEntry) => 64 + (entry.kind === 'line' ? 2 * entry.text.length : 0);

/** Creates a ring of 50,000 entries and 32 MiB, whichever is reached first. It keeps the newest entry whatever its size. */
export function createLogBuffer(limits: Limits = {}): LogBuffer {
	const {entries: maxEntries = 50_000, bytes: maxBytes = 32 * 1024 * 1024} = limits;
	const ring: (LogEntry | undefined)[] = [];
	let start = 0;
	let end = 0;
	let bytes = 0;
	let droppedLines = 0;
	const drop = () => {
		const entry = ring[start % maxEntries];
		ring[start % maxEntries] = undefined;
		start++;
		bytes -= entry ? bytesOf(entry) : 0;
		droppedLines += entry?.kind === 'line' ? 1 : 0;
	};
	const at = (place: number) => (place >= start && place < end ? ring[place % maxEntries] : undefined);

	return {
		push(entry) {
			if (end - start === maxEntries) {
				drop();
			}

			ring[end % maxEntries] = entry.kind === 'line' ? {...entry, text: detached(entry.text)} : entry;
			end++;
			bytes += bytesOf(entry);
			while (bytes > maxBytes && end - start > 1) {
				drop();
			}
		},
		at,
		entriesFrom(place) {
			const first = Math.max(place, start);
			const kept = Array.from({length: Math.max(0, end - first)}, (_, index) => at(first + index));
			return kept.filter(entry => entry !== undefined);
		},
		start: () => start,
		end: () => end,
		droppedLines: () => droppedLines,
		bytes: () => bytes,
	};
}

/** Returns a copy of a line: a slice of an answer would keep the whole answer in memory. */
export function detached(text: string): string {
	return ` ${text}`.slice(1);
}
