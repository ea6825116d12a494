import {createLogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';

/** Entries by their place, as a viewer reads them. */
export type ReadLog = {
	readonly at: (place: number) => LogEntry | undefined;
	/** The place of the oldest entry, and that of the next one to come. */
	readonly start: () => number;
	readonly end: () => number;
	/** The environment that an entry is of, where there are several. */
	readonly environmentAt?: (place: number) => string | undefined;
};

export type MergedLog = ReadLog & {
	/** Takes an entry of one log as the newest. */
	readonly push: (environment: string, entry: LogEntry) => void;
	/** The rest of it, once one log is closed. */
	readonly without: (environment: string) => MergedLog;
};

/** Most entries that are kept in one order; their text is bounded as that of a log alone. */
const most = 50_000;

/**
 * Several logs as one, in the order in which their entries arrived. It keeps its own entries: what the ring of a busy log
 * dropped is still among the lines of a quiet one, and nothing in between is ever blank.
 */
export function createMergedLog(): MergedLog {
	const buffer = createLogBuffer({entries: most});
	const environments: string[] = [];
	const {at, start, end} = buffer;
	const environmentAt = (place: number) => (at(place) ? environments[place % most] : undefined);

	const push = (environment: string, entry: LogEntry) => {
		environments[end() % most] = environment;
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
