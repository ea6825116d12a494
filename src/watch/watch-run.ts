import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
import {tailLog} from '../logs/tail.ts';
import {type TailClock, waitUntil} from '../logs/tail-clock.ts';
import {type TailSwitch, waitFor} from '../logs/tail-control.ts';
import type {TailState} from '../logs/tail-state.ts';
import {createMatchCollector, type MatchCollector, type Matches} from './match-collector.ts';
import type {Condition} from './watch-condition.ts';

type Options = {
	readonly source: LogSource;
	readonly condition: Condition;
	/** Least time between two reports. */
	readonly everyMs: number;
	readonly clock: TailClock;
	readonly signal: AbortSignal;
	/** While it is suspended, nothing is requested or reported. */
	readonly control: TailSwitch;
	/** Returns when the next report is allowed, by the clock. */
	readonly allowedAt: () => number;
	/** Called when a report has to wait until then, which is later than `everyMs` requires. */
	readonly onLimit: (until: number) => void;
	/** Reports matches; the next report waits until it settles. */
	readonly report: (matches: Matches) => Promise<void>;
	readonly onState: (state: TailState) => void;
};

type Run = Options & {
	/** Stops the tail and the pending report. */
	readonly stop: AbortController;
	readonly matches: MatchCollector;
	reportedAt: number;
	/** The pending report, from its first match until it settles. */
	pending: Promise<void> | undefined;
	/** What the pending report threw. */
	failure: {readonly error: unknown} | undefined;
};

/** Matches that arrive within this time after the first one join its report. */
const settleMs = 1000;

/**
 * Follows a log from now on and reports lines that match: the first ones at once, the next ones together after `everyMs`.
 * Returns why it ended: the log ended, the login expired, or the expression takes too long; undefined once `signal` is
 * aborted. Throws what `report` throws.
 */
export async function runWatch(options: Options): Promise<string | undefined> {
	const stop = new AbortController();
	const run: Run = {
		...options,
		stop,
		signal: AbortSignal.any([options.signal, stop.signal]),
		matches: createMatchCollector(),
		reportedAt: Number.NEGATIVE_INFINITY,
		pending: undefined,
		failure: undefined,
	};

	let reason: string | undefined;
	try {
		reason = await followLog(run);
		stop.abort();
		await run.pending;
		await reportRest(run, reason);
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'usage')) {
			throw error;
		}

		reason = error.message.replace(/\.$/, '');
	} finally {
		stop.abort();
		await run.pending;
	}

	if (run.failure) {
		throw run.failure.error;
	}

	return reason;
}

/** Collects the lines that match until the log ends. Returns why it ended; undefined once the run is aborted. */
async function followLog(run: Run): Promise<string | undefined> {
	const {source, signal, clock, control, condition, matches} = run;
	let seq = 0;
	let isLive = false;
	for await (const event of tailLog({source, signal, clock, control})) {
		if (event.type === 'state') {
			const {state} = event;
			run.onState(state);
			// Lines that the log already had are skipped.
			isLive ||= state.name === 'live' || state.name === 'gap';
			const reason = reasonOf(state);
			if (reason) {
				return reason;
			}
		} else if (event.type === 'mark') {
			matches.markMissing();
		} else if (event.type === 'lines' && isLive) {
			matches.add(event.lines, condition.match(event.lines), seq + 1);
			seq += event.lines.length;
			scheduleReport(run);
		}
	}

	return undefined;
}

/** Starts the next report, unless one is pending: that one takes all matches, and starts another one if more arrive. */
function scheduleReport(run: Run): void {
	if (run.pending || run.matches.count() === 0 || run.signal.aborted) {
		return;
	}

	run.pending = reportWhenDue(run)
		.catch((error: unknown) => {
			run.failure = run.signal.aborted ? run.failure : {error};
			run.stop.abort();
		})
		.finally(() => {
			run.pending = undefined;
			scheduleReport(run);
		});
}

async function reportWhenDue(run: Run): Promise<void> {
	const {clock, control, signal, everyMs} = run;
	let foundAt = clock.now();
	const due = () => {
		// If the clock was set back, the report would wait for that much longer.
		foundAt = Math.min(foundAt, clock.now());
		run.reportedAt = Math.min(run.reportedAt, clock.now());
		return Math.max(foundAt + settleMs, run.reportedAt + everyMs);
	};
	const allowedAt = run.allowedAt();
	if (allowedAt > due()) {
		run.onLimit(allowedAt);
	}

	await waitUntil(() => Math.max(due(), allowedAt), {clock, signal});
	while (control.isSuspended() && !signal.aborted) {
		await waitFor(undefined, {clock, signal, control});
	}

	signal.throwIfAborted();
	await run.report(run.matches.take());
	run.reportedAt = clock.now();
}

/** Reports the last matches of a log that ended, even if `everyMs` is not over. */
async function reportRest({matches, failure, control, allowedAt, clock, report}: Run, reason?: string): Promise<void> {
	if (reason && !failure && matches.count() > 0 && !control.isSuspended() && allowedAt() <= clock.now()) {
		await report(matches.take());
	}
}

function reasonOf(state: TailState): string | undefined {
	switch (state.name) {
		case 'ended':
			return state.why;
		case 'login':
			return 'your login has expired';
		default:
			return undefined;
	}
}
