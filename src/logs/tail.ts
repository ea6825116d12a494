import type {LogAnswer, LogSource} from '../contract/log-cursor.ts';
import type {AppError} from '../core/error.ts';
import type {Mark} from './log-entry.ts';
import {backoff, firstInterval, nextInterval, withJitter} from './pace.ts';
import {createReading, isRefusedOffset, type Taken} from './reading.ts';
import {runInSlices, turn} from './slices.ts';
import {systemTailClock, type TailClock} from './tail-clock.ts';
import {finalState, type TailState} from './tail-state.ts';
import {createTailSwitch, type TailSwitch, waitFor} from './tail-switch.ts';

/** What a tail says: lines in batches, where something is wrong with them, and what it is doing. */
export type TailEvent =
	| {readonly type: 'lines'; readonly lines: readonly string[]}
	| {readonly type: 'mark'; readonly mark: Mark}
	| {readonly type: 'state'; readonly state: TailState};

type Options = {
	/** Bound to one environment of one server. */
	readonly source: LogSource;
	readonly signal: AbortSignal;
	readonly clock?: TailClock;
	readonly control?: TailSwitch;
	/** Begins with the oldest line that the server still has, where it can tell. */
	readonly sinceStart?: boolean;
};

/** An answer that takes longer, in milliseconds, makes the tail stale. */
const patience = 5000;
const batch = 2000;

/**
 * Follows a log by polling: every 250 ms while lines arrive, more and more seldom when none do, at most every 5 s. What
 * may go away by itself is waited for without limit, and said. It ends with the state `ended`, or in silence once
 * `signal` is aborted; it never throws but for bugs. Nothing is asked for while its reader is busy.
 */
export async function* tailLog(options: Options): AsyncGenerator<TailEvent, void> {
	const {source, signal, clock = systemTailClock, control = createTailSwitch(), sinceStart = false} = options;
	const waiting = {clock, signal, control};
	const reading = createReading({sinceStart});
	let state: TailState = {name: 'connecting'};
	let interval = firstInterval;
	let attempt = 0;
	let answered: number | undefined;
	let lastMark: Mark | undefined;
	const begun = clock.now();

	const become = (next: TailState): TailEvent => {
		state = next;
		return {type: 'state', state};
	};

	/** Everything of an answer, where equal marks without a line between them are one. */
	const tell = async function* ({before, mark, lines}: Taken): AsyncGenerator<TailEvent> {
		yield* inBatches(before);
		if (mark && (mark !== lastMark || before.length > 0)) {
			yield {type: 'mark', mark};
		}

		lastMark = lines.length > 0 ? undefined : (mark ?? lastMark);
		yield* inBatches(lines);
	};

	yield become(state);
	while (!signal.aborted) {
		if (control.isSuspended()) {
			yield become({name: 'suspended'});
			await waitFor(undefined, waiting);
			continue;
		}

		try {
			const pending = source(reading.cursor(), signal);
			if (await isSlow(pending, clock)) {
				yield become({name: 'stale', since: answered ?? begun});
			}

			const taken = await runInSlices(reading.take(await pending), signal);
			answered = clock.now();
			attempt = 0;
			yield* tell(taken);
			const next: TailState = taken.mark ? {name: 'gap'} : {name: 'live', isComplete: reading.isComplete()};
			if (!isSame(state, next)) {
				yield become(next);
			}

			interval = nextInterval(interval, taken.mark ? 'gap' : taken.isNews ? 'lines' : 'nothing');
			await (taken.hasMore ? turn() : waitFor(withJitter(interval, clock.random()), waiting));
		} catch (error) {
			if (signal.aborted) {
				return;
			}

			if (isRefusedOffset(error, reading)) {
				reading.forgetOffset();
				continue;
			}

			const final = finalState(error, answered === undefined);
			if (final?.name === 'ended') {
				yield* inBatches(reading.held() ? [reading.held()] : []);
				yield become(final);
				return;
			}

			attempt++;
			const {retryAfter} = error as AppError;
			const wait = backoff(attempt, retryAfter, clock.random());
			yield become(final ?? {name: 'reconnecting', attempt, retryAt: clock.now() + wait, error: error as AppError});
			await waitFor(final ? undefined : wait, waiting);
		}
	}
}

/** True where no answer came in time; it may still come. A failure is an answer. */
async function isSlow(pending: Promise<LogAnswer>, clock: TailClock): Promise<boolean> {
	const over = new AbortController();
	const slow = clock.sleep(patience, over.signal).then(
		() => true,
		() => false,
	);
	const settled = pending.then(
		() => false,
		() => false,
	);
	try {
		return await Promise.race([settled, slow]);
	} finally {
		over.abort();
	}
}

async function* inBatches(lines: readonly string[]): AsyncGenerator<TailEvent> {
	for (let index = 0; index < lines.length; index += batch) {
		if (index > 0) {
			await turn();
		}

		yield {type: 'lines', lines: lines.slice(index, index + batch)};
	}
}

function isSame(one: TailState, other: TailState): boolean {
	return (
		one.name === other.name && (one.name !== 'live' || other.name !== 'live' || one.isComplete === other.isComplete)
	);
}
