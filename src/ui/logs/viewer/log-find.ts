import type {LogBuffer} from '../../../logs/log-buffer.ts';
import type {LogEntry} from '../../../logs/log-entry.ts';
import type {Matcher} from '../../../logs/matcher.ts';
import {runInSlices} from '../../../logs/slices.ts';
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
type Found = {readonly place: number; readonly isAround: boolean};

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

/** Entries by their place; entries that a filter hides may be left out. */
type Searched = Pick<LogBuffer, 'at' | 'start' | 'end'>;

type Search = {
	readonly matcher: Matcher;
	/** The place where it starts, inclusive. */
	readonly from: number;
	readonly direction: 'forward' | 'backward';
	readonly signal: AbortSignal;
	/** Skips entries for which it returns false. */
	readonly isShown?: (entry: LogEntry) => boolean;
};

/** Lines matched in one step. */
const stepLines = 500;

/**
 * Returns the place of the next line that matches, undefined if there is none up to the end in that direction. It works in
 * slices, so that keys are handled. Throws `AppError("usage")` if the expression takes too long, and the reason of `signal`.
 */
export async function searchLog(buffer: Searched, search: Search): Promise<number | undefined> {
	return runInSlices(searchSteps(buffer, search), search.signal);
}

function* searchSteps(
	buffer: Searched,
	{matcher, from, direction, isShown}: Search,
): Generator<void, number | undefined> {
	const isForward = direction === 'forward';
	let place = isForward ? Math.max(from, buffer.start()) : Math.min(from, buffer.end() - 1);
	const isInside = () => (isForward ? place < buffer.end() : place >= buffer.start());
	while (isInside()) {
		const places: number[] = [];
		const texts: string[] = [];
		for (let count = 0; count < stepLines && isInside(); count++, place += isForward ? 1 : -1) {
			const entry = buffer.at(place);
			if (entry?.kind === 'line' && (!isShown || isShown(entry))) {
				places.push(place);
				texts.push(entry.text);
			}
		}

		const found = matcher.match(texts).indexOf(true);
		if (found !== -1) {
			return places[found];
		}

		yield;
	}

	return undefined;
}
