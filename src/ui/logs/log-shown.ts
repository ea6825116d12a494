import type {Filter} from '../../logs/filter.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogEntries} from './merged-log.ts';

/** The entries of a log that are shown, in order: all of them, or what a filter leaves. */
export type ShownLines = {
	/** How many are shown, as far as was looked. */
	readonly count: () => number;
	/** The place of one of them, counted from 0 over those that are kept. */
	readonly placeAt: (index: number) => number | undefined;
	/** The index of the first one at this place or behind it; `count()` where there is none. */
	readonly indexOf: (place: number) => number;
	/** How many lines the filter hides. */
	readonly hidden: () => number;
	/**
	 * Looks at what came since, for a few milliseconds. True where there is more to look at. Throws `usage` for an
	 * expression that takes too long.
	 */
	readonly advance: () => boolean;
};

/** How many entries are looked at in one go, and for how many milliseconds in a row. */
const batch = 500;
const slice = 8;

/** Where more than so many places in front are of entries that were dropped, they are forgotten. */
const mostGone = 20_000;

/** Without a filter nothing is looked at. A mark is shown whatever the filter says. */
export function createShownLines(log: LogEntries, filter: Filter | undefined): ShownLines {
	return filter ? filtered(log, filter) : everything(log);
}

function everything(log: LogEntries): ShownLines {
	return {
		count: () => log.end() - log.start(),
		placeAt: index => (index >= 0 && index < log.end() - log.start() ? log.start() + index : undefined),
		indexOf: place => Math.max(0, Math.min(log.end(), place) - log.start()),
		hidden: () => 0,
		advance: () => false,
	};
}

function filtered(log: LogEntries, filter: Filter): ShownLines {
	/** Places in rising order; those before `head` are of entries that were dropped. */
	let places: number[] = [];
	let head = 0;
	let looked = log.start();

	/** The first position from `head` on whose place is not before this one. */
	const positionOf = (place: number): number => {
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
	};

	const forgetDropped = () => {
		head = positionOf(log.start());
		if (head > mostGone) {
			places = places.slice(head);
			head = 0;
		}
	};

	const lookAtBatch = () => {
		looked = Math.max(looked, log.start());
		const to = Math.min(log.end(), looked + batch);
		const entries: {readonly place: number; readonly entry: LogEntry}[] = [];
		for (let place = looked; place < to; place++) {
			const entry = log.at(place);
			if (entry) {
				entries.push({place, entry});
			}
		}

		const lines = entries.flatMap(({entry}) => (entry.kind === 'line' ? [entry] : []));
		const verdicts = filter.shows(lines);
		let line = 0;
		for (const {place, entry} of entries) {
			if (entry.kind === 'mark' || verdicts[line++]) {
				places.push(place);
			}
		}

		looked = to;
	};

	return {
		count() {
			forgetDropped();
			return places.length - head;
		},
		placeAt(index) {
			forgetDropped();
			return index < 0 ? undefined : places[head + index];
		},
		indexOf(place) {
			forgetDropped();
			return positionOf(place) - head;
		},
		hidden() {
			forgetDropped();
			return Math.max(0, looked - log.start()) - (places.length - head);
		},
		advance() {
			const begun = performance.now();
			while (looked < log.end()) {
				lookAtBatch();
				if (performance.now() - begun > slice) {
					break;
				}
			}

			return looked < log.end();
		},
	};
}
