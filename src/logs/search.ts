import type {LogBuffer} from './log-buffer.ts';
import type {LogEntry} from './log-entry.ts';
import type {Matcher} from './matcher.ts';
import {runInSlices} from './slices.ts';

/** Entries by their place; one that a filter hides may be left out. */
type Searched = Pick<LogBuffer, 'at' | 'start' | 'end'>;

type Search = {
	readonly matcher: Matcher;
	/** The place where it begins; that one counts too. */
	readonly from: number;
	readonly direction: 'forward' | 'backward';
	readonly signal: AbortSignal;
	/** Leaves out what a filter hides. */
	readonly isShown?: (entry: LogEntry) => boolean;
};

const step = 500;

/**
 * Finds the place of the next line that matches, undefined for none up to the end that lies in that direction. It works
 * in slices, so that keys get their turn. Throws `usage` for an expression that takes too long, and the reason of `signal`.
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
		for (let count = 0; count < step && isInside(); count++, place += isForward ? 1 : -1) {
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
