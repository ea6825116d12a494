import {runSteps} from './slices.ts';

/** The part of a log in one answer. */
export type ReadWindow = {
	readonly text: string;
	/** Whole lines without their newline. A byte limit may have cut the beginning of the first one. */
	readonly lines: readonly string[];
	/** The text after the last newline: an incomplete line, '' for none. */
	readonly partial: string;
};

/**
 * How a window relates to the one before it. `first`: there was no window, or an empty one, so nothing shows what came
 * earlier. `gap`: they have no line in common. `restarted`: in addition, the new one has fewer lines, and fewer than the
 * server cuts a log to. `ambiguous`: they share only lines that occur often, so lines may be missing; or the log was
 * empty, and the server may have cut what came since.
 */
export type MergeVerdict = 'first' | 'unchanged' | 'appended' | 'gap' | 'restarted' | 'ambiguous';

type Merged = {
	/** Whole lines that were not seen before. */
	readonly appended: readonly string[];
	readonly verdict: MergeVerdict;
};

type Overlap = {readonly length: number; readonly isSure: boolean};

/** Lines processed in one step. */
const stepLines = 2000;

/** No server cuts a log to less than this, so a log below both limits is considered whole. */
const shortestTail = {lines: 100, characters: 16 * 1024};

/** Splits the text of an answer into lines. A CR before the newline is kept. */
export function readWindow(text: string): ReadWindow {
	return runSteps(windowSteps(text));
}

/** Splits a text of any size, in steps. */
export function* windowSteps(text: string): Generator<void, ReadWindow> {
	const lines: string[] = [];
	let at = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
		lines.push(text.slice(at, end));
		at = end + 1;
		if (lines.length % stepLines === 0) {
			yield;
		}
	}

	return {text, lines, partial: text.slice(at)};
}

/**
 * Finds what a window of a log adds to the one before it: pure, in time linear in the size of both. The overlap is the
 * longest end of `previous` that `next` begins with (Knuth, Morris and Pratt 1977, on lines), so genuine repeats survive.
 * It is accepted if it contains a line that occurs once in `previous`, or covers all of it. An incomplete last line must
 * continue as it began; a first line that was cut is matched by its end. `fewestCut` is the line count of the smallest
 * window that the server cut, if one was seen.
 */
export function merge(previous: ReadWindow | undefined, next: ReadWindow, fewestCut?: number): Merged {
	return runSteps(mergeSteps(previous, next, fewestCut));
}

/** Merges windows of any size, in steps. */
export function* mergeSteps(
	previous: ReadWindow | undefined,
	next: ReadWindow,
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

function* findOverlap(previous: ReadWindow, next: ReadWindow): Generator<void, Overlap | undefined> {
	if (previous.lines.length === 0) {
		return isContinued(previous, next, 0) ? {length: 0, isSure: true} : undefined;
	}

	const length = yield* longestOverlap(previous, next);
	return length === 0 ? undefined : {length, isSure: yield* isSure(previous, next, length)};
}

/** Returns how many lines at the end of `previous` are those that `next` begins with. */
function* longestOverlap(previous: ReadWindow, next: ReadWindow): Generator<void, number> {
	const [first] = next.lines;
	if (first === undefined) {
		return 0;
	}

	// The first line may be cut, so the exact search starts with the second one.
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
		if (index % stepLines === 0) {
			yield;
		}
	}

	for (;;) {
		const line = previous.lines[previous.lines.length - matched - 1];
		// The end of one line alone is no evidence: many lines end in “ok”.
		const isSame = line !== undefined && (matched > 0 ? line.endsWith(first) : line === first);
		if (isSame && isContinued(previous, next, matched + 1)) {
			return matched + 1;
		}

		if (matched === 0) {
			return 0;
		}

		matched = borders[matched - 1] ?? 0;
	}
}

/** Returns for each prefix of the lines from the second one on the length of its longest border. */
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
		if (index % stepLines === 0) {
			yield;
		}
	}

	return borders;
}

/** Returns true if the incomplete line of the previous window begins what follows the overlap. */
function isContinued({partial}: ReadWindow, next: ReadWindow, overlap: number): boolean {
	return (next.lines[overlap] ?? next.partial).startsWith(partial);
}

function* isSure(previous: ReadWindow, next: ReadWindow, overlap: number): Generator<void, boolean> {
	const start = previous.lines.length - overlap;
	const isWhole = previous.lines[start] === next.lines[0];
	if (start === 0 && isWhole) {
		return true;
	}

	const counts = new Map<string, number>();
	for (const [index, line] of previous.lines.entries()) {
		counts.set(line, (counts.get(line) ?? 0) + 1);
		if (index % stepLines === 0) {
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

function isLikelyCut({lines, text}: ReadWindow): boolean {
	return lines.length >= shortestTail.lines || text.length >= shortestTail.characters;
}

/** Compares lines, not bytes: two windows that the server cut to a number of lines differ in bytes by chance. */
function isRestart(previous: ReadWindow, next: ReadWindow, fewestCut: number): boolean {
	const hasFewerLines = next.lines.length < Math.min(previous.lines.length, fewestCut);
	return !next.text || (hasFewerLines && !areAsLong(previous, next));
}

/** Returns true if the server may have cut both windows to a number of bytes: then they differ by less than a line. */
function areAsLong(previous: ReadWindow, next: ReadWindow): boolean {
	const [before, after] = [Buffer.byteLength(previous.text), Buffer.byteLength(next.text)];
	const longestLine = [...previous.lines, ...next.lines].reduce((most, {length}) => Math.max(most, length), 0);
	return Math.min(before, after) >= shortestTail.characters && Math.abs(before - after) <= longestLine;
}
