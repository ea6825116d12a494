import type {LogAnswer, LogCursor} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
import type {Mark} from './log-entry.ts';
import {type LogWindow, windowSteps} from './log-window.ts';
import {mergeSteps, type Verdict} from './merge.ts';

export type Taken = {
	/** What came before the mark: the end of the log before, which had no newline. */
	readonly before: readonly string[];
	readonly mark?: Mark | undefined;
	/** Whole lines that were not seen yet. */
	readonly lines: readonly string[];
	/** True where the rest may be asked for at once. */
	readonly hasMore: boolean;
	/** True where anything changed, be it the line that is held back. */
	readonly isNews: boolean;
};

type Window = Extract<LogAnswer, {kind: 'window'}>;

/** How far the log of one environment was read. */
export type Reading = {
	readonly cursor: () => LogCursor;
	/** Takes an answer to a request with that cursor, in steps. */
	readonly take: (answer: LogAnswer) => Generator<void, Taken>;
	/** Goes on without offsets, for a server that refuses its own. */
	readonly forgetOffset: () => void;
	/** What is held back because its newline did not come yet. */
	readonly held: () => string;
	/** True where the server gives offsets, and nothing was missed since the first line. */
	readonly isComplete: () => boolean;
};

/** Answers of this length are pieces of something longer. */
const pieceLength = 64 * 1024;

/** A line without an end is given out in pieces of this many characters. */
const longestHeld = 16 * 1024 * 1024;

const nothing: Taken = {before: [], lines: [], hasMore: false, isNews: false};
const marks: Readonly<Partial<Record<Verdict, Mark>>> = {gap: 'gap', restarted: 'restarted', ambiguous: 'ambiguous'};

/**
 * Reads a log from its answers: exactly where the server gives offsets, by the overlap of windows elsewhere. With
 * `sinceStart` it begins with the oldest byte that is kept; where the server gives no offsets, a mark says that lines may
 * be missing.
 */
export function createReading({sinceStart = false}: {readonly sinceStart?: boolean} = {}): Reading {
	let window: LogWindow | undefined;
	let after: number | undefined;
	let etag: string | undefined;
	let held = '';
	/** Lines of the smallest window that the server had cut at its limit. */
	let fewestCut = Number.POSITIVE_INFINITY;
	let isFirst = true;
	let isExact = true;
	let isLost = false;
	let ignoresOffsets = false;

	const takeWindow = function* (answer: Window): Generator<void, Taken> {
		const next = yield* windowSteps(answer.text);
		const {appended, verdict} = yield* mergeSteps(window, next, fewestCut);
		if (window && verdict !== 'first' && verdict !== 'restarted' && isCut(window, next, appended)) {
			fewestCut = Math.min(fewestCut, next.lines.length);
		}

		// An answer without the offset that was asked for is of another kind of server: nothing of it can be placed.
		const isUnplaced = window === undefined && (isLost || after !== undefined);
		const mark = isUnplaced ? 'ambiguous' : isFirst && sinceStart && startOf(answer) !== 0 ? 'gap' : marks[verdict];
		const isNews = next.text !== window?.text;
		window = next;
		held = next.partial;
		after = ignoresOffsets ? undefined : answer.offset;
		etag = after === undefined ? answer.etag : undefined;
		isFirst = false;
		isLost = false;
		isExact &&= mark === undefined;
		return {...nothing, mark, lines: appended, isNews};
	};

	const takePiece = function* (answer: Window, asked: number, offset: number): Generator<void, Taken> {
		const start = startOf(answer) ?? asked;
		const mark = offset < asked ? 'restarted' : start > asked ? 'gap' : undefined;
		const text = start < asked && !mark ? behind(answer.text, asked - start) : answer.text;
		const before = mark && held ? [held] : [];
		const {lines, partial} = yield* windowSteps(mark ? text : held + text);
		const isTooLong = partial.length > longestHeld;
		held = isTooLong ? '' : partial;
		etag = offset === asked ? answer.etag : undefined;
		after = offset;
		window = undefined;
		isExact &&= mark === undefined;
		return {
			before,
			mark,
			lines: isTooLong ? [...lines, partial] : lines,
			hasMore: text.length >= pieceLength,
			isNews: text !== '' || mark !== undefined,
		};
	};

	return {
		cursor: () => ({after, etag}),
		held: () => held,
		isComplete: () => isExact && after !== undefined,
		forgetOffset() {
			after = undefined;
			etag = undefined;
			isLost = true;
			ignoresOffsets = true;
		},
		*take(answer) {
			if (answer.kind === 'unchanged') {
				return nothing;
			}

			const {offset} = answer;
			if (isFirst && sinceStart && offset !== undefined && startOf(answer) !== 0) {
				isFirst = false;
				after = 0;
				return {...nothing, hasMore: true};
			}

			return after === undefined || offset === undefined
				? yield* takeWindow(answer)
				: yield* takePiece(answer, after, offset);
		},
	};
}

/** Whether a server refuses the offset that it gave, such as one behind another of another version. */
export function isRefusedOffset(error: unknown, {cursor}: Reading): boolean {
	return error instanceof AppError && error.code === 'failed' && cursor().after !== undefined;
}

/** True where the window before held lines that the next one has no more: the server shows the end of a longer log. */
function isCut(previous: LogWindow, next: LogWindow, appended: readonly string[]): boolean {
	return next.lines.length - appended.length < previous.lines.length;
}

/** The offset of the first byte, as far as it can be known. */
function startOf({text, start, offset}: Window): number | undefined {
	return start ?? (offset === undefined ? undefined : offset - Buffer.byteLength(text));
}

/** The text without so many bytes of UTF-8 at its beginning. */
function behind(text: string, bytes: number): string {
	// A byte that is no UTF-8 came as a character of three bytes: then they cannot be counted.
	return text.includes('\uFFFD') ? text : Buffer.from(text).subarray(bytes).toString();
}
