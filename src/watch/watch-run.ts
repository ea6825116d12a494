import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
import {detached} from '../logs/log-buffer.ts';
import {tailLog} from '../logs/tail.ts';
import type {TailClock} from '../logs/tail-clock.ts';
import type {TailState} from '../logs/tail-state.ts';
import {type TailSwitch, waitFor} from '../logs/tail-switch.ts';
import {waitUntil} from './wait-until.ts';
import type {Condition} from './watch-condition.ts';

/** What matched since the report before. */
export type Found = {
	readonly count: number;
	/** The first and the last of them; numbers count from the line at which the watch began. */
	readonly lines: readonly {readonly seq: number; readonly text: string}[];
	/** True where lines may be missing among those that were looked at. */
	readonly mayMiss: boolean;
};

type Options = {
	readonly source: LogSource;
	readonly condition: Condition;
	/** Milliseconds between two reports, at least. */
	readonly every: number;
	readonly clock: TailClock;
	readonly signal: AbortSignal;
	/** While it is suspended nothing is asked for, and nothing reported. */
	readonly control: TailSwitch;
	/** When the next report may come, in milliseconds of the clock. */
	readonly allowedAt: () => number;
	/** Told that a report has to wait until then, which is later than `every` asks for. */
	readonly onHeld: (until: number) => void;
	/** Reports what was found; the next report waits for its end. */
	readonly report: (found: Found) => Promise<void>;
	readonly onState: (state: TailState) => void;
};

/** What comes together within so many milliseconds is one report. */
const settling = 1000;

/** Lines of a report at its beginning, and at its end. */
const shownLines = 10;

/** So much of a line is kept. */
const longestLine = 8000;

/**
 * Follows a log from now on and reports lines that match: the first ones at once, all that follow within `every`
 * together. Returns why it ended: the log's end, an expired login, or an expression that takes too long; undefined
 * once `signal` was aborted. Throws what `report` throws.
 */
export async function runWatch(options: Options): Promise<string | undefined> {
	const {source, condition, every, clock, control, allowedAt, onHeld, report, onState} = options;
	const stop = new AbortController();
	const signal = AbortSignal.any([options.signal, stop.signal]);
	const gathering = createGathering();
	let reported = Number.NEGATIVE_INFINITY;
	let reporting: Promise<void> | undefined;
	let fault: {readonly error: unknown} | undefined;

	const reportWhenDue = async () => {
		let found = clock.now();
		const due = () => {
			// A clock that was set back would keep a report for as long as it went back.
			found = Math.min(found, clock.now());
			reported = Math.min(reported, clock.now());
			return Math.max(found + settling, reported + every);
		};
		const allowed = allowedAt();
		if (allowed > due()) {
			onHeld(allowed);
		}

		await waitUntil(() => Math.max(due(), allowed), {clock, signal});
		while (control.isSuspended() && !signal.aborted) {
			await waitFor(undefined, {clock, signal, control});
		}

		signal.throwIfAborted();
		await report(gathering.take());
		reported = clock.now();
	};

	const schedule = () => {
		reporting ??= reportWhenDue()
			.catch((error: unknown) => {
				fault = signal.aborted ? fault : {error};
				stop.abort();
			})
			.finally(() => {
				reporting = undefined;
				if (gathering.count() > 0 && !signal.aborted) {
					schedule();
				}
			});
	};

	let why: string | undefined;
	let seq = 0;
	let hasBegun = false;
	try {
		for await (const event of tailLog({source, signal, clock, control})) {
			if (event.type === 'state') {
				onState(event.state);
				// What stood in the log before is no news.
				hasBegun ||= event.state.name === 'live' || event.state.name === 'gap';
				why = endOf(event.state);
				if (why) {
					break;
				}
			} else if (event.type === 'mark') {
				gathering.miss();
			} else if (hasBegun) {
				const matches = condition.match(event.lines);
				for (const [index, text] of event.lines.entries()) {
					if (matches[index]) {
						gathering.add(seq + index + 1, text);
					}
				}

				seq += event.lines.length;
				if (gathering.count() > 0) {
					schedule();
				}
			}
		}

		stop.abort();
		await reporting;
		// What came last is told even where `every` is not over.
		if (why && !fault && gathering.count() > 0 && !control.isSuspended() && allowedAt() <= clock.now()) {
			await report(gathering.take());
		}
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'usage')) {
			throw error;
		}

		why = error.message.replace(/\.$/, '');
	} finally {
		stop.abort();
		await reporting;
	}

	if (fault) {
		throw fault.error;
	}

	return why;
}

function endOf(state: TailState): string | undefined {
	switch (state.name) {
		case 'ended':
			return state.why;
		case 'login':
			return 'your login has expired';
		default:
			return undefined;
	}
}

/** Counts lines, and keeps the first and the last of them. */
function createGathering() {
	let count = 0;
	let first: Found['lines'][number][] = [];
	let last: Found['lines'][number][] = [];
	let mayMiss = false;
	return {
		count: () => count,
		miss() {
			mayMiss = true;
		},
		add(seq: number, text: string) {
			count++;
			const line = {seq, text: detached(text.slice(0, longestLine))};
			const kept = first.length < shownLines ? first : last;
			kept.push(line);
			if (last.length > shownLines) {
				last.shift();
			}
		},
		take(): Found {
			const found = {count, lines: [...first, ...last], mayMiss};
			count = 0;
			first = [];
			last = [];
			mayMiss = false;
			return found;
		},
	};
}
