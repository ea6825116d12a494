import type {LogWindow} from './log-window.ts';
import {runSteps} from './slices.ts';

/**
 * What a window says about the one before it. `first`: nothing was seen before, or an empty log, so that nothing shows
 * what came earlier. `gap`: they have no line in common. `restarted`: the new one also holds fewer lines, and fewer than
 * the server cuts a log to. `ambiguous`: they have lines in common, but only such that come again and again, so that lines may be missing; or the
 * log was empty, and so much came at once that the server may have cut it.
 */
export type Verdict = 'first' | 'unchanged' | 'appended' | 'gap' | 'restarted' | 'ambiguous';

export type Merged = {
	/** Whole lines that were not seen yet. */
	readonly appended: readonly string[];
	readonly verdict: Verdict;
};

type Overlap = {readonly length: number; readonly isSure: boolean};

const step = 2000;

/** A tail that is cut at less would be of little use, so that a log below both is taken to be whole. */
const shortestTail = {lines: 100, characters: 16 * 1024};

/**
 * Finds what a window of a log adds to the one before it: pure, in time linear in the size of both. The longest end of
 * `previous` that `next` begins with is the overlap (Knuth, Morris and Pratt 1977, on lines), so that genuine repeats
 * survive. It is accepted if it holds a line that occurs once in `previous`, or covers all of it. The last line without
 * a newline is held back, and must go on as it began; a first line that was cut is matched by its end. `fewestCut` is
 * how many lines the smallest window held that the server had cut, as far as one was seen.
 */
export function merge(previous: LogWindow | undefined, next: LogWindow, fewestCut?: number): Merged {
	return runSteps(mergeSteps(previous, next, fewestCut));
}

/** The same in steps, for windows of any size. */
export function* mergeSteps(
	previous: LogWindow | undefined,
	next: LogWindow,
	fewestCut = Number.POSITIVE_INFINITY,
): Generator<void, Merged> {
	if (previous?.text === next.text) {
		return {appended: [], verdict: 'unchanged'};
	}

	if (!previous?.text) {
		return {appended: next.lines, verdict: previous && isLikelyCut(next) ? 'ambiguous' : 'first'};
	}

	const overlap = yield* findOverlap(previous, next);
	if (!overlap) {
		return {appended: next.lines, verdict: isRestart(previous, next, fewestCut) ? 'restarted' : 'gap'};
	}

	const appended = next.lines.slice(overlap.length);
	return {appended, verdict: overlap.isSure ? (appended.length > 0 ? 'appended' : 'unchanged') : 'ambiguous'};
}

function* findOverlap(previous: LogWindow, next: LogWindow): Generator<void, Overlap | undefined> {
	if (previous.lines.length === 0) {
		return goesOn(previous, next, 0) ? {length: 0, isSure: true} : undefined;
	}

	const length = yield* longestOverlap(previous, next);
	return length === 0 ? undefined : {length, isSure: yield* isSure(previous, next, length)};
}

/** How many lines at the end of `previous` are those that `next` begins with; 0 for none. */
function* longestOverlap(previous: LogWindow, next: LogWindow): Generator<void, number> {
	const [first] = next.lines;
	if (first === undefined) {
		return 0;
	}

	// The first line may be cut, so that the exact search is for those behind it.
	const pattern = next.lines;
	const longest = Math.min(pattern.length - 1, previous.lines.length);
	const borders = yield* bordersOf(pattern, longest);
	let matched = 0;
	for (let index = previous.lines.length - longest; index < previous.lines.length; index++) {
		const line = previous.lines[index];
		while (matched > 0 && pattern[matched + 1] !== line) {
			matched = borders[matched - 1] ?? 0;
		}

		matched += pattern[matched + 1] === line ? 1 : 0;
		if (index % step === 0) {
			yield;
		}
	}

	for (;;) {
		const line = previous.lines[previous.lines.length - matched - 1];
		// The end of one line alone says nothing: many lines end in “ok”.
		const isSame = line !== undefined && (matched > 0 ? line.endsWith(first) : line === first);
		if (isSame && goesOn(previous, next, matched + 1)) {
			return matched + 1;
		}

		if (matched === 0) {
			return 0;
		}

		matched = borders[matched - 1] ?? 0;
	}
}

/** For each beginning of the lines from the second one on: how much of it is also its end, but not all of it. */
function* bordersOf(lines: readonly string[], length: number): Generator<void, Int32Array> {
	const borders = new Int32Array(length);
	let border = 0;
	for (let index = 1; index < length; index++) {
		const line = lines[index + 1];
		while (border > 0 && lines[border + 1] !== line) {
			border = borders[border - 1] ?? 0;
		}

		border += lines[border + 1] === line ? 1 : 0;
		borders[index] = border;
		if (index % step === 0) {
			yield;
		}
	}

	return borders;
}

/** True where what was held back is the beginning of what follows the overlap. */
function goesOn({partial}: LogWindow, next: LogWindow, overlap: number): boolean {
	return (next.lines[overlap] ?? next.partial).startsWith(partial);
}

function* isSure(previous: LogWindow, next: LogWindow, overlap: number): Generator<void, boolean> {
	const start = previous.lines.length - overlap;
	const isWhole = previous.lines[start] === next.lines[0];
	if (start === 0 && isWhole) {
		return true;
	}

	const counts = new Map<string, number>();
	for (const [index, line] of previous.lines.entries()) {
		counts.set(line, (counts.get(line) ?? 0) + 1);
		if (index % step === 0) {
			yield;
		}
	}

	for (let index = isWhole ? start : start + 1; index < previous.lines.length; index++) {
		if (counts.get(previous.lines[index] ?? '') === 1) {
			return true;
		}
	}

	return false;
}

function isLikelyCut({lines, text}: LogWindow): boolean {
	return lines.length >= shortestTail.lines || text.length >= shortestTail.characters;
}

/** Bytes say nothing here: two windows that the server cut differ in length by chance. */
function isRestart(previous: LogWindow, next: LogWindow, fewestCut: number): boolean {
	return !next.text || next.lines.length < Math.min(previous.lines.length, fewestCut);
}
