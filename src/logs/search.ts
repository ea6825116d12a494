import type {LogBuffer} from './log-buffer.ts';
import type {LogEntry} from './log-entry.ts';
import type {Matcher} from './matcher.ts';
import {runInSlices} from './slices.ts';

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
