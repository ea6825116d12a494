import type {Filter} from '../../logs/filter.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogEntries} from './merged-log.ts';

/** The entries of a log that are shown, in order: all of them, or those that pass a filter. */
export type ShownLines = {
	/** Returns how many are shown, among those examined so far. */
	readonly count: () => number;
	/** Returns the place of the entry at an index, which counts the kept ones from 0. */
	readonly placeAt: (index: number) => number | undefined;
	/** Returns the index of the first entry at this place or after it, or `count()`. */
	readonly indexOf: (place: number) => number;
	/** Returns how many lines the filter hides. */
	readonly hidden: () => number;
	/**
	 * Examines new entries for a few milliseconds. Returns true if more are left. Throws `AppError("usage")` if the
	 * expression takes too long.
	 */
	readonly advance: () => boolean;
};

type Filtered = {
	readonly log: LogEntries;
	readonly filter: Filter;
	/** Places in ascending order; those before `head` are of dropped entries. */
	places: number[];
	head: number;
	/** The first place that was not examined. */
	next: number;
};

const batchEntries = 2000;
const sliceMs = 8;

/** If more places than this are of dropped entries, they are removed. */
const maxDropped = 20_000;

/** Returns the entries that a filter shows, all without one. A mark is shown whatever the filter is. */
export function createShownLines(log: LogEntries, filter: Filter | undefined): ShownLines {
	return filter ? filteredLines({log, filter, places: [], head: 0, next: log.start()}) : allLines(log);
}

function allLines(log: LogEntries): ShownLines {
	return {
		count: () => log.end() - log.start(),
		placeAt: index => (index >= 0 && index < log.end() - log.start() ? log.start() + index : undefined),
		indexOf: place => Math.max(0, Math.min(log.end(), place) - log.start()),
		hidden: () => 0,
		advance: () => false,
	};
}

function filteredLines(state: Filtered): ShownLines {
	const {log} = state;
	return {
		count() {
			skipDropped(state);
			return state.places.length - state.head;
		},
		placeAt(index) {
			skipDropped(state);
			return index < 0 ? undefined : state.places[state.head + index];
		},
		indexOf(place) {
			skipDropped(state);
			return positionOf(state, place) - state.head;
		},
		hidden() {
			skipDropped(state);
			return Math.max(0, state.next - log.start()) - (state.places.length - state.head);
		},
		advance() {
			const startedAt = performance.now();
			while (state.next < log.end()) {
				examineBatch(state);
				if (performance.now() - startedAt > sliceMs) {
					break;
				}
			}

			return state.next < log.end();
		},
	};
}

/** Returns the first position from `head` on that holds this place or a later one. */
function positionOf({places, head}: Filtered, place: number): number {
	let low = head;
	let high = places.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((places[middle] ?? 0) < place) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}

function skipDropped(state: Filtered): void {
	state.head = positionOf(state, state.log.start());
	if (state.head > maxDropped) {
		state.places = state.places.slice(state.head);
		state.head = 0;
	}
}

function examineBatch(state: Filtered): void {
	const {log, filter, places} = state;
	const from = Math.max(state.next, log.start());
	const to = Math.min(log.end(), from + batchEntries);
	const entries: {readonly place: number; readonly entry: LogEntry}[] = [];
	for (let place = from; place < to; place++) {
		const entry = log.at(place);
		if (entry) {
			entries.push({place, entry});
		}
	}

	const isShown = filter.shows(entries.flatMap(({entry}) => (entry.kind === 'line' ? [entry] : [])));
	let line = 0;
	for (const {place, entry} of entries) {
		if (entry.kind === 'mark' || isShown[line++]) {
			places.push(place);
		}
	}

	state.next = to;
}
