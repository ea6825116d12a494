import type {Matcher} from '../../../logs/matcher.ts';
import {searchLog} from '../../../logs/search.ts';
import {type ScrollPosition, scrollAtEnd, type Viewport} from '../log-scroll.ts';
import type {LogEntries} from '../merged-log.ts';

type Find = {
	readonly viewport: Viewport;
	/** Where the search begins; without one it goes from the end upwards. */
	readonly scroll: ScrollPosition | undefined;
	readonly matcher: Matcher;
	readonly direction: 'forward' | 'backward';
	readonly signal: AbortSignal;
};

/** `isAround` where it was found only behind the other end of the log. */
export type Found = {readonly place: number; readonly isAround: boolean};

/**
 * Finds the next shown line that matches, undefined for none in the whole log. Throws `usage` for an expression that takes
 * too long, and the reason of `signal`.
 */
export async function findLine({viewport, scroll, matcher, direction, signal}: Find): Promise<Found | undefined> {
	const {log, shown} = viewport;
	const lines = {
		start: log.start,
		end: log.end,
		at: (place: number) => (shown.placeAt(shown.indexOf(place)) === place ? log.at(place) : undefined),
	};
	const isForward = direction === 'forward' && scroll !== undefined;
	const way = isForward ? 'forward' : 'backward';
	const from = scroll ? scroll.cursor + (isForward ? 1 : -1) : log.end() - 1;
	const near = await searchLog(lines, {matcher, from, direction: way, signal});
	if (near !== undefined) {
		return {place: near, isAround: false};
	}

	const far = isForward ? log.start() : log.end() - 1;
	const around = await searchLog(lines, {matcher, from: far, direction: way, signal});
	return around === undefined ? undefined : {place: around, isAround: true};
}

/** The place of the first entry that arrived at that time or later, in milliseconds since the epoch. */
export function placeAtTime(log: LogEntries, at: number): number {
	let low = log.start();
	let high = log.end();
	while (low < high) {
		const middle = (low + high) >> 1;
		// What is gone from between belongs to the log that was closed: its neighbours tell the time.
		const entry = log.at(middle);
		if (entry && entry.at < at) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}

/** When the entry at the cursor arrived, in milliseconds since the epoch; undefined where nothing is shown. */
export function timeAt(
	viewport: Viewport,
	{scroll = scrollAtEnd(viewport)}: {readonly scroll?: ScrollPosition | undefined},
): number | undefined {
	return scroll && viewport.log.at(scroll.cursor)?.at;
}
