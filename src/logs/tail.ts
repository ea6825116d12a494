import type {LogSource} from '../contract/log-cursor.ts';
import type {AppError} from '../core/error.ts';
import type {Mark} from './log-entry.ts';
import {createLogReader, type LogReader} from './log-reader.ts';
import type {LogDelta} from './read-answer.ts';
import {turn} from './slices.ts';
import {systemTailClock, type TailClock} from './tail-clock.ts';
import {createTailSwitch, type TailSwitch, waitFor} from './tail-control.ts';
import {endedWith, finalState, type TailState} from './tail-state.ts';

/**
 * What a tail reports: lines in batches, marks between them, and its state. `open` is a last line whose end takes a while,
 * such as a prompt, each time that it grows; its text is '' before the line or what follows it is reported.
 */
export type TailEvent =
	| {readonly type: 'lines'; readonly lines: readonly string[]}
	| {readonly type: 'mark'; readonly mark: Mark}
	| {readonly type: 'open'; readonly text: string}
	| {readonly type: 'state'; readonly state: TailState};

type Options = {
	/** Bound to one environment of one server. */
	readonly source: LogSource;
	readonly signal: AbortSignal;
	readonly clock?: TailClock;
	readonly control?: TailSwitch;
	/** Continues where this reader is; a new one by default. */
	readonly reader?: LogReader;
	/** Starts a new reader with the oldest line that the server still has. */
	readonly sinceStart?: boolean;
};

type Tail = Required<Omit<Options, 'sinceStart'>> & {
	readonly startedAt: number;
	state: TailState;
	intervalMs: number;
	/** Failures in a row. */
	attempt: number;
	answeredAt: number | undefined;
	/** The last answer said that the environment has ended. */
	hasEnded: boolean;
	/** The last mark, until a line follows it. */
	lastMark: Mark | undefined;
	/** When the incomplete last line was first seen; undefined if there is none. */
	openSince: number | undefined;
	/** The incomplete last line as it was reported, '' if it was not. */
	open: string;
};

/** An answer that takes longer makes the tail stale. */
const staleAfterMs = 5000;
/** How long the end of a line may take before its beginning is reported. */
const openAfterMs = 300;
const batchLines = 2000;

/**
 * Follows a log by polling: every 250 ms while lines arrive, then less and less often, at most every 5 s. Retries a
 * failure that may pass without limit, and reports it. Ends with the state `ended`, or silently once `signal` is aborted.
 * Throws only for bugs. Sends no request while its consumer is busy.
 */
export async function* tailLog({sinceStart = false, ...options}: Options): AsyncGenerator<TailEvent, void> {
	const {clock = systemTailClock, control = createTailSwitch(), reader = createLogReader({sinceStart})} = options;
	const tail: Tail = {
		...options,
		clock,
		control,
		reader,
		startedAt: clock.now(),
		state: {name: 'connecting'},
		intervalMs: firstInterval,
		attempt: 0,
		answeredAt: undefined,
		hasEnded: false,
		lastMark: undefined,
		openSince: undefined,
		open: '',
	};

	yield {type: 'state', state: tail.state};
	while (!tail.signal.aborted && tail.state.name !== 'ended') {
		if (control.isSuspended()) {
			yield changeState(tail, {name: 'suspended'});
			await waitFor(undefined, tail);
		} else {
			yield* poll(tail);
		}
	}
}

/** Sends one request, reports what it brings, and waits until the next one is due. */
async function* poll(tail: Tail): AsyncGenerator<TailEvent, void> {
	const {source, signal, clock, reader} = tail;
	try {
		const pending = reader.next(source, signal);
		if (await isSlow(pending, clock)) {
			yield changeState(tail, {name: 'stale', since: tail.answeredAt ?? tail.startedAt});
		}

		const delta = await pending;
		tail.answeredAt = clock.now();
		tail.attempt = 0;
		yield* reportDelta(tail, delta);
		const {mark, hasChanged, hasMore, ended} = delta;
		if (ended && tail.hasEnded && !hasChanged && !hasMore) {
			yield* reportEnd(tail, endedWith(ended));
			return;
		}

		tail.hasEnded = ended !== undefined;
		tail.intervalMs = nextInterval(tail.intervalMs, mark ? 'gap' : hasChanged ? 'lines' : 'nothing');
		if (hasMore) {
			await turn();
		} else {
			yield* waitOpen(tail, withJitter(tail.intervalMs, clock.random()));
		}
	} catch (error) {
		if (!signal.aborted) {
			yield* reportFailure(tail, error);
		}
	}
}

/** Reports an answer. Equal marks without a line between them are one. */
async function* reportDelta(tail: Tail, {before, mark, lines}: LogDelta): AsyncGenerator<TailEvent, void> {
	const held = tail.reader.held();
	if (mark || before.length > 0 || lines.length > 0) {
		yield* endOpen(tail);
	}

	tail.openSince = held === '' ? undefined : (tail.openSince ?? tail.clock.now());
	yield* inBatches(before);
	if (mark && (mark !== tail.lastMark || before.length > 0)) {
		yield {type: 'mark', mark};
	}

	tail.lastMark = lines.length > 0 ? undefined : (mark ?? tail.lastMark);
	yield* inBatches(lines);
	const next: TailState = mark ? {name: 'gap'} : {name: 'live', isComplete: tail.reader.isComplete()};
	if (!isSame(tail.state, next)) {
		yield changeState(tail, next);
	}
}

/** Reports a failure, and waits until the next attempt is due; a final one ends the tail. */
async function* reportFailure(tail: Tail, error: unknown): AsyncGenerator<TailEvent, void> {
	const {clock} = tail;
	const final = finalState(error, tail.answeredAt === undefined);
	if (final?.name === 'ended') {
		yield* reportEnd(tail, final);
		return;
	}

	tail.attempt++;
	const {attempt} = tail;
	const waitMs = backoff(attempt, (error as AppError).retryAfter, clock.random());
	const retryAt = clock.now() + waitMs;
	yield changeState(tail, final ?? {name: 'reconnecting', attempt, retryAt, error: error as AppError});
	yield* waitOpen(tail, final ? undefined : waitMs);
}

/** Waits, and reports the incomplete last line once its end takes too long. */
async function* waitOpen(tail: Tail, milliseconds: number | undefined): AsyncGenerator<TailEvent, void> {
	const {clock, reader, openSince, signal} = tail;
	const dueMs =
		openSince === undefined || reader.held() === tail.open
			? Number.POSITIVE_INFINITY
			: Math.max(0, openSince + openAfterMs - clock.now());
	if (milliseconds !== undefined && dueMs >= milliseconds) {
		await waitFor(milliseconds, tail);
		return;
	}

	const startedAt = clock.now();
	if (dueMs > 0) {
		await waitFor(dueMs === Number.POSITIVE_INFINITY ? undefined : dueMs, tail);
	}

	const waitedMs = clock.now() - startedAt;
	// Whoever woke it wants the next request.
	if (waitedMs >= dueMs && !signal.aborted) {
		tail.open = reader.held();
		yield {type: 'open', text: tail.open};
		await waitFor(milliseconds === undefined ? undefined : Math.max(0, milliseconds - waitedMs), tail);
	}
}

/** Reports that the incomplete last line ended. */
function* endOpen(tail: Tail): Generator<TailEvent, void> {
	tail.openSince = undefined;
	if (tail.open !== '') {
		tail.open = '';
		yield {type: 'open', text: ''};
	}
}

async function* reportEnd(tail: Tail, final: TailState): AsyncGenerator<TailEvent, void> {
	const held = tail.reader.held();
	yield* endOpen(tail);
	yield* inBatches(held ? [held] : []);
	yield changeState(tail, final);
}

function changeState(tail: Tail, state: TailState): TailEvent {
	tail.state = state;
	return {type: 'state', state};
}

/** Returns true if no answer came in time; it may still come. A failure is an answer. */
async function isSlow(pending: Promise<unknown>, clock: TailClock): Promise<boolean> {
	const settled = new AbortController();
	const slow = clock.sleep(staleAfterMs, settled.signal).then(
		() => true,
		() => false,
	);
	const answered = pending.then(
		() => false,
		() => false,
	);
	try {
		return await Promise.race([answered, slow]);
	} finally {
		settled.abort();
	}
}

async function* inBatches(lines: readonly string[]): AsyncGenerator<TailEvent, void> {
	for (let index = 0; index < lines.length; index += batchLines) {
		if (index > 0) {
			await turn();
		}

		yield {type: 'lines', lines: lines.slice(index, index + batchLines)};
	}
}

function isSame(one: TailState, other: TailState): boolean {
	return (
		one.name === other.name && (one.name !== 'live' || other.name !== 'live' || one.isComplete === other.isComplete)
	);
}

/** Time between two polls: while lines arrive, at most, and at least. */
const busyMs = 250;
const idleMs = 5000;
const shortestMs = 50;
const growth = 1.5;

/** The first wait after a failure, the longest one, and the shortest one that a server can ask for. */
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
const shortestBackoffMs = 500;

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** What the last answer brought. */
type Activity = 'lines' | 'nothing' | 'gap';

/** Returns the next interval in milliseconds. After a gap it is half of the one before. */
export function nextInterval(intervalMs: number, activity: Activity): number {
	switch (activity) {
		case 'lines':
			return Math.min(intervalMs, busyMs);
		case 'nothing':
			return Math.min(idleMs, intervalMs * growth);
		case 'gap':
			return Math.max(shortestMs, Math.min(intervalMs, busyMs) / 2);
		default:
			return activity satisfies never;
	}
}

const firstInterval = busyMs;

/** Returns an interval up to a tenth shorter, so that many tails don't poll at once. `random` is from 0 up to 1. */
export function withJitter(intervalMs: number, random: number): number {
	return intervalMs * (1 - random / 10);
}

/**
 * Returns the wait before an attempt in milliseconds: what the server asked for, but at least 500 ms; otherwise twice the
 * one before, up to 30 s, half of it random.
 */
export function backoff(attempt: number, retryAfterMs: number | undefined, random: number): number {
	if (retryAfterMs !== undefined) {
		return Math.min(longestTimerMs, Math.max(shortestBackoffMs, retryAfterMs));
	}

	return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2);
}
