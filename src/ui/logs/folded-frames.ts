import type {FrameKind} from '../../core/stack-trace/frame-kind.ts';
import {createStackReader, type StackReader} from '../../core/stack-trace/stack-reader.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogEntries} from './merged-log.ts';

/** What an entry is within a stack trace. */
export type ShownFrame = {
	readonly kind?: FrameKind | undefined;
	/** How many frames are folded there; 0 for none. An entry without a kind is the line above them, and is shown with them. */
	readonly folded: number;
	/** What opens and closes the fold that the entry is in; undefined if it is in none. */
	readonly fold?: number | undefined;
};

/** Which entries of a log are frames of stack traces, read line by line as they arrive, and which of them are folded. */
export type FoldedFrames = {
	/** Reads the next entry. Returns true if it has a row of its own, should it pass the filter. */
	readonly add: (place: number, entry: LogEntry, passes: boolean) => boolean;
	/** Returns the entry with the row that an entry is in. */
	readonly rowOf: (place: number) => number;
	/** Returns the entries that the row of an entry stands for. */
	readonly spanOf: (place: number) => readonly number[];
	readonly frameOf: (place: number) => ShownFrame;
	/** Folds the frames of libraries at first, then these; opens these folds. Returns true if that changes anything. */
	readonly show: (folding: Folding, opened: ReadonlySet<number>) => boolean;
	/** Forgets entries that the log has dropped. */
	readonly forget: () => void;
};

/** Which frames are folded: those of libraries, where the user reads; all, with the line above, where there is little room. */
export type Folding = 'libraries' | 'all';

/** Frames that follow each other, maybe with the line above them. A single line is no fold. The first place is its name. */
type Fold = {readonly places: number[]; readonly begins: Set<number>};

/** Reads one log. `head` is its last line if that has text and is no frame, else -1. */
type Reader = {readonly read: StackReader; last: number; head: number};

/** All folds of one kind, by the places in them. */
type Folds = {
	readonly at: Map<number, Fold>;
	/** The fold that grows, and the one that would if the last frame belonged to it. */
	growing: Fold | undefined;
	before: Fold | undefined;
};

type Reading = Readonly<Record<Folding, Folds>> & {
	readonly readers: Map<string, Reader>;
	readonly kinds: Map<number, FrameKind>;
	/** The last entry that passes the filter. */
	last: number;
};

/** A longer run of frames has several folds: what a full log drops is at most one of them. */
const maxFolded = 1000;

/** Creates the frames of a log without entries. Without `folds`, each entry has its own row. */
export function createFoldedFrames(log: LogEntries, folds: boolean): FoldedFrames {
	const reading: Reading = {
		readers: new Map(),
		kinds: new Map(),
		libraries: {at: new Map(), growing: undefined, before: undefined},
		all: {at: new Map(), growing: undefined, before: undefined},
		last: -1,
	};
	let folding: Folding = 'libraries';
	let opened: ReadonlySet<number> = new Set();
	const closedFold = (place: number): Fold | undefined => {
		const fold = reading[folding].at.get(place);
		return fold && fold.places.length > 1 && !opened.has(fold.places[0] ?? -1) ? fold : undefined;
	};
	const kept = ({places}: Fold) => places.filter(place => place >= log.start());
	const rowOf = (place: number) => {
		const fold = closedFold(place);
		return fold ? (fold.places.find(each => each >= log.start()) ?? place) : place;
	};

	return {
		add(place, entry, passes) {
			read(reading, {place, entry, environment: log.environmentAt?.(place) ?? '', passes, folds});
			return rowOf(place) === place;
		},
		rowOf,
		spanOf(place) {
			const fold = closedFold(place);
			return fold && rowOf(place) === place ? kept(fold) : [place];
		},
		frameOf(place) {
			const all = reading[folding].at.get(place);
			const fold = closedFold(place);
			const begun = fold ? kept(fold).filter(each => fold.begins.has(each)).length : 0;
			return {
				kind: reading.kinds.get(place),
				folded: fold ? Math.max(1, begun) : 0,
				fold: all && all.places.length > 1 ? all.places[0] : undefined,
			};
		},
		show(nextFolding, next) {
			const isSame = opened === next || (opened.size === next.size && [...next].every(fold => opened.has(fold)));
			const changes = !isSame || folding !== nextFolding;
			opened = next;
			folding = nextFolding;
			return changes;
		},
		forget() {
			for (const map of [reading.kinds, reading.libraries.at, reading.all.at]) {
				for (const place of map.keys()) {
					if (place >= log.start()) {
						break;
					}

					map.delete(place);
				}
			}
		},
	};
}

type Added = {
	readonly place: number;
	readonly entry: LogEntry;
	readonly environment: string;
	readonly passes: boolean;
	readonly folds: boolean;
};

function read(reading: Reading, {place, entry, environment, passes, folds}: Added): void {
	const reader = reading.readers.get(environment) ?? {read: createStackReader(), last: -1, head: -1};
	reading.readers.set(environment, reader);
	const line = entry.kind === 'line' ? reader.read(entry.text) : undefined;
	if (line?.takesBefore && reader.last >= 0) {
		reading.kinds.set(reader.last, 'minor');
		if (folds && reading.last === reader.last) {
			reading.libraries.growing = reading.libraries.before;
			join(reading.libraries, reader.last, true);
		}
	}

	const {head} = reader;
	reader.last = place;
	reader.head = entry.kind === 'line' && !line?.kind && entry.text.trim() ? place : -1;
	if (line?.kind) {
		reading.kinds.set(place, line.kind);
	}

	if (!passes) {
		return;
	}

	const isBelowHead = head >= 0 && head === reading.last;
	const {libraries, all} = reading;
	reading.last = place;
	libraries.before = libraries.growing;
	if (folds && line?.kind === 'minor') {
		join(libraries, place, line.begins);
	} else {
		libraries.growing = undefined;
	}

	if (folds && line?.kind) {
		if (isBelowHead) {
			join(all, head, false);
		}

		join(all, place, line.begins);
	} else {
		all.growing = undefined;
	}
}

/** Adds a frame to the fold that grows, or begins another one. */
function join(folds: Folds, place: number, begins: boolean): void {
	const isFull = (folds.growing?.places.length ?? maxFolded) >= maxFolded;
	const fold = !isFull && folds.growing ? folds.growing : {places: [], begins: new Set<number>()};
	fold.places.push(place);
	if (begins) {
		fold.begins.add(place);
	}

	folds.growing = fold;
	folds.at.set(place, fold);
}
