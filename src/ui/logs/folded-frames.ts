import type {FrameKind} from '../../core/stack-trace/frame-kind.ts';
import {createStackReader, type StackReader} from '../../core/stack-trace/stack-reader.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogEntries} from './merged-log.ts';

/** What an entry is within a stack trace. */
export type ShownFrame = {
	readonly kind?: FrameKind | undefined;
	/** How many frames are folded there; 0 for none. */
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
	/** Opens these folds, and closes all others. Returns true if that changes anything. */
	readonly open: (folds: ReadonlySet<number>) => boolean;
	/** Forgets entries that the log has dropped. */
	readonly forget: () => void;
};

/** Frames of libraries that follow each other. A single line is no fold. The first place is its name. */
type Fold = {readonly places: number[]; readonly begins: Set<number>};

type Reading = {
	readonly readers: Map<string, {readonly read: StackReader; last: number}>;
	readonly kinds: Map<number, FrameKind>;
	readonly folds: Map<number, Fold>;
	/** The fold that grows, and the one that would if the last frame belonged to it. */
	fold: Fold | undefined;
	before: Fold | undefined;
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
		folds: new Map(),
		fold: undefined,
		before: undefined,
		last: -1,
	};
	let opened: ReadonlySet<number> = new Set();
	const closedFold = (place: number): Fold | undefined => {
		const fold = reading.folds.get(place);
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
			const all = reading.folds.get(place);
			const fold = closedFold(place);
			const begun = fold ? kept(fold).filter(each => fold.begins.has(each)).length : 0;
			return {
				kind: reading.kinds.get(place),
				folded: fold ? Math.max(1, begun) : 0,
				fold: all && all.places.length > 1 ? all.places[0] : undefined,
			};
		},
		open(next) {
			const changes = opened !== next && (opened.size !== next.size || [...next].some(fold => !opened.has(fold)));
			opened = next;
			return changes;
		},
		forget() {
			for (const map of [reading.kinds, reading.folds]) {
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
	const reader = reading.readers.get(environment) ?? {read: createStackReader(), last: -1};
	reading.readers.set(environment, reader);
	const line = entry.kind === 'line' ? reader.read(entry.text) : undefined;
	if (line?.takesBefore && reader.last >= 0) {
		reading.kinds.set(reader.last, 'minor');
		if (folds && reading.last === reader.last) {
			reading.fold = reading.before;
			join(reading, reader.last, true);
		}
	}

	reader.last = place;
	if (line?.kind) {
		reading.kinds.set(place, line.kind);
	}

	if (!passes) {
		return;
	}

	reading.last = place;
	reading.before = reading.fold;
	if (folds && line?.kind === 'minor') {
		join(reading, place, line.begins);
	} else {
		reading.fold = undefined;
	}
}

/** Adds a frame to the fold that grows, or begins another one. */
function join(reading: Reading, place: number, begins: boolean): void {
	const isFull = (reading.fold?.places.length ?? maxFolded) >= maxFolded;
	const fold = !isFull && reading.fold ? reading.fold : {places: [], begins: new Set<number>()};
	fold.places.push(place);
	if (begins) {
		fold.begins.add(place);
	}

	reading.fold = fold;
	reading.folds.set(place, fold);
}
