import type {Matcher} from '../../../logs/matcher.ts';
import {searchLog} from '../../../logs/search.ts';
import {type ScrollPosition, scrollAtEnd, type Viewport} from '../log-scroll.ts';
import type {LogEntries} from '../merged-log.ts';

type Find = {
	readonly viewport: Viewport;
	/** Where the search starts; without it, the search goes up from the end. */
	readonly scroll: ScrollPosition | undefined;
	readonly matcher: Matcher;
	readonly direction: 'forward' | 'backward';
	readonly signal: AbortSignal;
};

/** `isAround` is true if the search wrapped around. */
export type Found = {readonly place: number; readonly isAround: boolean};

/**
 * Finds the next shown line that matches; undefined if the whole log has none. Throws `AppError("usage")` if the expression
 * takes too long, and the reason of `signal`.
 */
export async function findLine({viewport, scroll, matcher, direction, signal}: Find): Promise<Found | undefined> {
	const {log, shown} = viewport;
	const lines = {
		start: log.start,
		end: log.end,
		// What is folded is found, too.
		at: (place: number) => (shown.rowOf(place) === undefined ? undefined : log.at(place)),
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

/** Returns the place of the first entry that arrived at that time (milliseconds since the epoch) or later. */
export function placeAtTime(log: LogEntries, at: number): number {
	let low = log.start();
	let high = log.end();
	while (low < high) {
		const middle = (low + high) >> 1;
		// A missing entry belongs to a closed log; its neighbours have the time.
		const entry = log.at(middle);
		if (entry && entry.at < at) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}

/** Returns when the entry at the cursor arrived, in milliseconds since the epoch; undefined if no line is shown. */
export function timeAt(
	viewport: Viewport,
	{scroll = scrollAtEnd(viewport)}: {readonly scroll?: ScrollPosition | undefined},
): number | undefined {
	return scroll && viewport.log.at(scroll.cursor)?.at;
}
