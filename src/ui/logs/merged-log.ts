import {createLogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';

/** Entries by their place, as the panel and the viewer read them. */
export type LogEntries = {
	readonly at: (place: number) => LogEntry | undefined;
	/** Returns the place of the oldest entry. */
	readonly start: () => number;
	/** Returns the place of the next entry to come. */
	readonly end: () => number;
	/** Returns the environment of an entry, if there are several. */
	readonly environmentAt?: (place: number) => string | undefined;
};

export type MergedLog = LogEntries & {
	/** Adds an entry of one log as the newest. */
	readonly push: (environment: string, entry: LogEntry) => void;
	/** Returns the other logs, once one is closed. */
	readonly without: (environment: string) => MergedLog;
};

/** Most entries in one order; their text is limited like that of a single log. */
const maxEntries = 50_000;

/**
 * Creates several logs as one, in the order in which their entries arrived. It keeps its own entries: what the buffer of a
 * busy log drops is still among the lines of a quiet one.
 */
export function createMergedLog(): MergedLog {
	const buffer = createLogBuffer({entries: maxEntries});
	const environments: string[] = [];
	const {at, start, end} = buffer;
	const environmentAt = (place: number) => (at(place) ? environments[place % maxEntries] : undefined);

	const push = (environment: string, entry: LogEntry) => {
		environments[end() % maxEntries] = environment;
		buffer.push(entry);
	};

	return {
		at,
		start,
		end,
		environmentAt,
		push,
		without(environment) {
			const rest = createMergedLog();
			for (let place = start(); place < end(); place++) {
				const entry = at(place);
				const owner = environmentAt(place);
				if (entry && owner !== undefined && owner !== environment) {
					rest.push(owner, entry);
				}
			}

			return rest;
		},
	};
}
