import type {LogAnswer, LogCursor} from '../contract/log-cursor.ts';
import type {Mark} from './log-entry.ts';
import {type MergeVerdict, mergeSteps, type ReadWindow, windowSteps} from './merge.ts';

/** What an answer adds to a log. */
export type LogDelta = {
	/** The end of the log before the mark, if it had no newline. */
	readonly before: readonly string[];
	readonly mark?: Mark | undefined;
	/** Whole lines that were not seen before. */
	readonly lines: readonly string[];
	/** True if the server has more that can be requested at once. */
	readonly hasMore: boolean;
	/** True if anything changed, including the incomplete last line. */
	readonly hasChanged: boolean;
	/** The state of the environment, if it has ended. */
	readonly ended?: string | undefined;
};

/** How far the log of one environment was read. */
export type ReadingState = {
	/** Starts with the oldest byte that the server still has. */
	readonly sinceStart: boolean;
	readonly cursor: LogCursor;
	/** The last window, while the server gives no offsets. */
	readonly window: ReadWindow | undefined;
	/** The incomplete last line, held back until its newline comes. */
	readonly held: string;
	/** Line count of the smallest window that the server cut at its limit. */
	readonly fewestCut: number;
	readonly isFirst: boolean;
	/** True while nothing was missed since the first line. */
	readonly isExact: boolean;
	/** True if the next window cannot be aligned with what was read before. */
	readonly isLost: boolean;
	/** True for a server that rejects its own offsets. */
	readonly ignoresOffsets: boolean;
};

type ReadStep = {readonly state: ReadingState; readonly delta: LogDelta};
type Window = Extract<LogAnswer, {kind: 'window'}>;

/** An answer of at least this many characters is a piece of a longer log. */
const pieceLength = 64 * 1024;

/** A line without an end is released in pieces of this many characters. */
const longestHeld = 16 * 1024 * 1024;

const nothing: LogDelta = {before: [], lines: [], hasMore: false, hasChanged: false};
const marks: Readonly<Partial<Record<MergeVerdict, Mark>>> = {
	gap: 'gap',
	restarted: 'restarted',
	ambiguous: 'ambiguous',
};

/** Returns the state before the first answer. */
export function startReading(sinceStart: boolean): ReadingState {
	return {
		sinceStart,
		cursor: {},
		window: undefined,
		held: '',
		fewestCut: Number.POSITIVE_INFINITY,
		isFirst: true,
		isExact: true,
		isLost: false,
		ignoresOffsets: false,
	};
}

/** Returns the state for a server that rejects its own offsets: from now on, windows are aligned by their overlap. */
export function withoutOffsets(state: ReadingState): ReadingState {
	return {...state, cursor: {}, isLost: true, ignoresOffsets: true};
}

/**
 * Reads the answer to a request with the cursor of `state`, in steps: exactly if the server gives offsets, otherwise by
 * the overlap of windows. With `sinceStart` and no offsets, a mark says that lines may be missing.
 */
export function* readAnswer(state: ReadingState, answer: LogAnswer): Generator<void, ReadStep> {
	if (answer.kind === 'unchanged') {
		return {state, delta: nothing};
	}

	const {after} = state.cursor;
	const {offset} = answer;
	if (state.isFirst && state.sinceStart && offset !== undefined && startOf(answer) !== 0) {
		return {
			state: {...state, isFirst: false, cursor: {...state.cursor, after: 0}},
			delta: {...nothing, hasMore: true},
		};
	}

	return after === undefined || offset === undefined
		? yield* readWindow(state, answer)
		: yield* readPiece(state, answer, after, offset);
}

/** Reads a window without a known place: it is aligned with the one before. */
function* readWindow(state: ReadingState, answer: Window): Generator<void, ReadStep> {
	const {window, cursor, held, sinceStart, isFirst, isLost, ignoresOffsets} = state;
	const next = yield* windowSteps(answer.text);
	const {appended, verdict} = yield* mergeSteps(window, next, state.fewestCut);
	const wasCut = window && verdict !== 'first' && verdict !== 'restarted' && isCut(window, next, appended);
	// If the server answers without the offset that was requested, nothing says where its window belongs.
	const isUnplaced = window === undefined && (isLost || cursor.after !== undefined);
	const mark = isUnplaced ? 'ambiguous' : isFirst && sinceStart && startOf(answer) !== 0 ? 'gap' : marks[verdict];
	const after = ignoresOffsets ? undefined : answer.offset;
	return {
		state: {
			...state,
			cursor: {after, etag: after === undefined ? answer.etag : undefined},
			window: next,
			held: next.partial,
			fewestCut: wasCut ? Math.min(state.fewestCut, next.lines.length) : state.fewestCut,
			isFirst: false,
			isExact: state.isExact && mark === undefined,
			isLost: false,
		},
		delta: {
			...nothing,
			before: endBefore(verdict, held, next),
			mark,
			lines: appended,
			hasChanged: next.text !== window?.text,
		},
	};
}

/** Reads a piece at a known offset. */
function* readPiece(state: ReadingState, answer: Window, asked: number, offset: number): Generator<void, ReadStep> {
	const {held} = state;
	const start = startOf(answer) ?? asked;
	const mark = offset < asked ? 'restarted' : start > asked ? 'gap' : undefined;
	const text = start < asked && !mark ? withoutBytes(answer.text, asked - start) : answer.text;
	const {lines, partial} = yield* windowSteps(mark ? text : held + text);
	const isTooLong = partial.length > longestHeld;
	return {
		state: {
			...state,
			cursor: {after: offset, etag: offset === asked ? answer.etag : undefined},
			window: undefined,
			held: isTooLong ? '' : partial,
			isExact: state.isExact && mark === undefined,
		},
		delta: {
			before: mark && held ? [held] : [],
			mark,
			lines: isTooLong ? [...lines, partial] : lines,
			hasMore: text.length >= pieceLength,
			hasChanged: text !== '' || mark !== undefined,
		},
	};
}

/**
 * Returns the incomplete line that a window leaves behind: it may say why a program ended. A window that begins with the
 * whole line shows it.
 */
function endBefore(verdict: MergeVerdict, held: string, {lines, partial}: ReadWindow): readonly string[] {
	const isLeft = verdict === 'gap' || verdict === 'restarted';
	return held && isLeft && !(lines[0] ?? partial).startsWith(held) ? [held] : [];
}

/** Returns true if the server shows the end of a longer log: lines of the previous window are missing in the next one. */
function isCut(previous: ReadWindow, next: ReadWindow, appended: readonly string[]): boolean {
	return next.lines.length - appended.length < previous.lines.length;
}

/** Returns the offset of the first byte, if it can be known. */
function startOf({text, start, offset}: Window): number | undefined {
	return start ?? (offset === undefined ? undefined : offset - Buffer.byteLength(text));
}

/** Returns the text without its first bytes, counted in UTF-8. */
function withoutBytes(text: string, bytes: number): string {
	// Invalid UTF-8 was replaced by a character of three bytes, so its bytes cannot be counted.
	return text.includes('\uFFFD') ? text : Buffer.from(text).subarray(bytes).toString();
}
