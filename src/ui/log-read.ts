import type {LogEntry} from '../logs/log-entry.ts';

/** Entries by their place, as a viewer reads them; a place in between may hold nothing any more. */
export type ReadLog = {
	readonly at: (place: number) => LogEntry | undefined;
	/** The place of the oldest entry, and that of the next one to come. */
	readonly start: () => number;
	readonly end: () => number;
	/** The environment that an entry is of, where there are several. */
	readonly environmentAt?: (place: number) => string | undefined;
};

export type MergedLog = ReadLog & {
	/** Takes the entry at a place of one log as the newest. */
	readonly push: (environment: string, place: number) => void;
};

/** Most entries that are kept in one order. */
const most = 100_000;

/** Several logs as one, in the order in which their entries arrived. It keeps no text: each log keeps its own. */
export function createMergedLog(logOf: (environment: string) => ReadLog | undefined): MergedLog {
	const ring: {readonly environment: string; readonly place: number}[] = [];
	let end = 0;
	const start = () => Math.max(0, end - most);
	const referenceAt = (place: number) => (place >= start() && place < end ? ring[place % most] : undefined);

	return {
		push(environment, place) {
			ring[end % most] = {environment, place};
			end++;
		},
		at(place) {
			const reference = referenceAt(place);
			return reference && logOf(reference.environment)?.at(reference.place);
		},
		start,
		end: () => end,
		environmentAt: place => referenceAt(place)?.environment,
	};
}
