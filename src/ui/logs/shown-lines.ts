import type {Filter} from '../../logs/filter.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import {createFoldedFrames, type FoldedFrames, type Folding, type ShownFrame} from './folded-frames.ts';
import type {LogEntries} from './merged-log.ts';

/** The entries of a log that have rows, in order: those that pass the filter, but for folded frames. */
export type ShownLines = {
	/** Returns how many are shown, among those examined so far. */
	readonly count: () => number;
	/** Returns the place of the entry at an index, which counts the kept ones from 0. */
	readonly placeAt: (index: number) => number | undefined;
	/** Returns the index of the first entry at this place or after it, or `count()`. */
	readonly indexOf: (place: number) => number;
	/** Returns the entries that the row of an entry stands for: itself, and the frames that are folded there. */
	readonly spanOf: (place: number) => readonly number[];
	/** Returns the entry with the row that an entry is in; undefined if the filter hides it. */
	readonly rowOf: (place: number) => number | undefined;
	/** Returns what an entry is within a stack trace. */
	readonly frameOf: (place: number) => ShownFrame;
	/** Folds the frames of stack traces, but for those in the folds that are opened. */
	readonly fold: (folding: Folding, opened: ReadonlySet<number>) => void;
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
	readonly filter: Filter | undefined;
	readonly frames: FoldedFrames;
	/** Places that pass the filter, in ascending order, and those of them that have a row. Dropped ones are before a head. */
	passing: number[];
	places: number[];
	heads: {passing: number; places: number};
	/** The first place that was not examined. */
	next: number;
};

const batchEntries = 2000;
const sliceMs = 8;

/** If more places than this are of dropped entries, they are removed. */
const maxDropped = 20_000;

type Options = {
	/** Without it all entries are shown. */
	readonly filter?: Filter | undefined;
	/** True to fold the frames of stack traces. */
	readonly folds?: boolean;
};

/** Returns the entries that a filter shows, all without one. A mark is shown whatever the filter is. */
export function createShownLines(log: LogEntries, {filter, folds = false}: Options = {}): ShownLines {
	if (!filter && !folds) {
		return allLines(log);
	}

	const frames = createFoldedFrames(log, folds);
	return filteredLines({
		log,
		filter,
		frames,
		passing: [],
		places: [],
		heads: {passing: 0, places: 0},
		next: log.start(),
	});
}

function allLines(log: LogEntries): ShownLines {
	return {
		count: () => log.end() - log.start(),
		placeAt: index => (index >= 0 && index < log.end() - log.start() ? log.start() + index : undefined),
		indexOf: place => Math.max(0, Math.min(log.end(), place) - log.start()),
		spanOf: place => [place],
		rowOf: place => place,
		frameOf: () => ({folded: 0}),
		fold: () => undefined,
		hidden: () => 0,
		advance: () => false,
	};
}

function filteredLines(state: Filtered): ShownLines {
	const {log, frames} = state;
	return {
		count() {
			skipDropped(state);
			return state.places.length - state.heads.places;
		},
		placeAt(index) {
			skipDropped(state);
			return index < 0 ? undefined : state.places[state.heads.places + index];
		},
		indexOf(place) {
			skipDropped(state);
			return positionOf(state.places, state.heads.places, place) - state.heads.places;
		},
		spanOf: place => frames.spanOf(place),
		rowOf(place) {
			skipDropped(state);
			const position = positionOf(state.passing, state.heads.passing, place);
			return state.passing[position] === place ? frames.rowOf(place) : undefined;
		},
		frameOf: place => frames.frameOf(place),
		fold(folding, opened) {
			if (frames.show(folding, opened)) {
				state.places = state.passing.filter(place => frames.rowOf(place) === place);
				state.heads.places = 0;
			}
		},
		hidden() {
			skipDropped(state);
			return Math.max(0, state.next - log.start()) - (state.passing.length - state.heads.passing);
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
function positionOf(places: readonly number[], head: number, place: number): number {
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
	const {log, heads, frames} = state;
	if ((state.passing[heads.passing] ?? log.start()) >= log.start()) {
		return;
	}

	heads.passing = positionOf(state.passing, heads.passing, log.start());
	heads.places = positionOf(state.places, heads.places, log.start());
	const oldest = state.passing[heads.passing];
	// Of a fold whose first frames were dropped, the next frame has the row.
	if (oldest !== undefined && state.places[heads.places] !== oldest && heads.places > 0) {
		heads.places--;
		state.places[heads.places] = oldest;
	}

	if (heads.passing > maxDropped) {
		state.passing = state.passing.slice(heads.passing);
		state.places = state.places.slice(heads.places);
		state.heads = {passing: 0, places: 0};
		frames.forget();
	}
}

function examineBatch(state: Filtered): void {
	const {log, filter, frames} = state;
	// The row of a fold moves when its first frame is dropped.
	skipDropped(state);
	const from = Math.max(state.next, log.start());
	const to = Math.min(log.end(), from + batchEntries);
	const entries: {readonly place: number; readonly entry: LogEntry}[] = [];
	for (let place = from; place < to; place++) {
		const entry = log.at(place);
		if (entry) {
			entries.push({place, entry});
		}
	}

	const isShown = filter?.shows(entries.flatMap(({entry}) => (entry.kind === 'line' ? [entry] : [])));
	let line = 0;
	for (const {place, entry} of entries) {
		const passes = entry.kind === 'mark' || !isShown || isShown[line++] === true;
		const hasRow = frames.add(place, entry, passes);
		if (passes) {
			state.passing.push(place);
		}

		// What was taken for a frame of the program has no row any more.
		const last = state.places.length > state.heads.places ? state.places.at(-1) : undefined;
		if (last !== undefined && frames.rowOf(last) !== last) {
			state.places.pop();
		}

		if (passes && hasRow) {
			state.places.push(place);
		}
	}

	state.next = to;
}
