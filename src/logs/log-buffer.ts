import type {LogEntry} from './log-entry.ts';

/** Entries with the oldest dropped once there are too many; each is found by its place since the beginning. */
export type LogBuffer = {
	readonly push: (entry: LogEntry) => void;
	/** The entry at a place, counted from 0 over all that ever came; undefined for one that is dropped or yet to come. */
	readonly at: (place: number) => LogEntry | undefined;
	/** The place of the oldest entry that is kept, and the place of the next one to come. */
	readonly start: () => number;
	readonly end: () => number;
	/** How many lines were dropped. */
	readonly droppedLines: () => number;
	/** How much is kept, in bytes of memory. */
	readonly bytes: () => number;
};

type Limits = {readonly entries?: number; readonly bytes?: number};

/** A string has two bytes a character at most, an entry so many around it. */
const bytesOf = (entry: LogEntry) => 64 + (entry.kind === 'line' ? 2 * entry.text.length : 0);

/** A ring of 50,000 entries and 32 MiB, whichever is first. The newest entry is kept whatever its size. */
export function createLogBuffer({entries: most = 50_000, bytes: mostBytes = 32 * 1024 * 1024}: Limits = {}): LogBuffer {
	const ring: (LogEntry | undefined)[] = [];
	let start = 0;
	let end = 0;
	let bytes = 0;
	let droppedLines = 0;
	const drop = () => {
		const entry = ring[start % most];
		ring[start % most] = undefined;
		start++;
		bytes -= entry ? bytesOf(entry) : 0;
		droppedLines += entry?.kind === 'line' ? 1 : 0;
	};

	return {
		push(entry) {
			if (end - start === most) {
				drop();
			}

			ring[end % most] = entry.kind === 'line' ? {...entry, text: detached(entry.text)} : entry;
			end++;
			bytes += bytesOf(entry);
			while (bytes > mostBytes && end - start > 1) {
				drop();
			}
		},
		at: place => (place >= start && place < end ? ring[place % most] : undefined),
		start: () => start,
		end: () => end,
		droppedLines: () => droppedLines,
		bytes: () => bytes,
	};
}

/** A line that was sliced out of an answer keeps all of that answer in memory; its copy does not. */
export function detached(text: string): string {
	return ` ${text}`.slice(1);
}
