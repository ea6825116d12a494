import type {LogSource} from '../contract/log-cursor.ts';
import {AppError, reportError} from '../core/error.ts';
import {formatAmount} from '../core/format.ts';
import {tailLog} from '../logs/tail.ts';
import {type TailClock, waitUntil} from '../logs/tail-clock.ts';
import {
	createTailHandle,
	hasLogin,
	holdTail,
	type LogLogin,
	releaseTail,
	shownState,
	type TailHandle,
	type TailSwitch,
	waitFor,
} from '../logs/tail-control.ts';
import {describeState, type TailState} from '../logs/tail-state.ts';
import type {Conversation} from '../session/conversation.ts';
import {followConnection} from '../session/follow-connection.ts';
import type {AppStore} from '../store/store.ts';
import {heldUntil, recentTurns, type Watch} from '../store/watch-slice.ts';
import {createMatchCollector, type MatchCollector, type Matches} from './match-collector.ts';
import type {Notifier} from './notifier.ts';
import type {Condition} from './watch-condition.ts';
import {limitNotice, matchNotice, matchPrompt} from './watch-report.ts';

type Request = Pick<Watch, 'environment' | 'server' | 'profile' | 'every' | 'ask' | 'perHour'> & {
	readonly condition: Condition;
	readonly source: LogSource;
};

/** The watches of the app: each follows a log beside the conversation. */
export type Watches = {
	/** Starts a watch; the store shows it until it ends. */
	readonly start: (request: Request) => Watch;
	/** Ends a watch. Returns undefined if no watch has that number. */
	readonly stop: (number: number) => Watch | undefined;
	/** Ends all watches and waits for their cleanup. */
	readonly close: () => Promise<void>;
};

type Dependencies = {
	readonly store: AppStore;
	readonly conversation: () => Conversation;
	readonly notifier: Notifier;
	readonly clock: TailClock;
};

type Running = {readonly handle: TailHandle; readonly done: Promise<void>};

/** Creates the list of watches, empty. */
export function createWatches(dependencies: Dependencies): Watches {
	const {store, clock} = dependencies;
	const running = new Map<number, Running>();
	let last = 0;

	const end = (number: number, reason?: string) => {
		running.get(number)?.handle.abort.abort();
		running.delete(number);
		return endWatch(number, reason, dependencies);
	};

	const withLogin = (login: LogLogin) => [...running].filter(([, {handle}]) => hasLogin(handle, login));

	const unfollow = followConnection(store, {
		hold(left, joined) {
			for (const [number, {handle}] of withLogin(left)) {
				holdWatch(number, handle, joined.profile, dependencies);
			}
		},
		release(joined) {
			for (const [number, {handle}] of withLogin(joined).filter(([, {handle}]) => handle.isHeld)) {
				releaseTail(handle);
				showState(number, handle, dependencies);
			}
		},
	});

	return {
		start({condition, source, ...request}) {
			const number = ++last;
			const {text} = condition;
			const started = {number, condition: text, startedAt: clock.now(), found: 0, turns: [], state: 'connecting'};
			const {session} = store.getState().transcript;
			const watch: Watch = {...request, ...started, session};
			const handle = createTailHandle(request);
			store.getState().addWatch(watch);
			const done = followWatch(watch, {condition, source}, handle, dependencies).then(reason => {
				if (!handle.abort.signal.aborted) {
					end(number, reason);
				}
			});
			running.set(number, {handle, done});
			return watch;
		},
		stop: number => end(number),
		async close() {
			const all = [...running].map(([number, {done}]) => {
				end(number);
				return done;
			});
			unfollow();
			await Promise.all(all);
		},
	};
}

function watchOf(number: number, store: AppStore): Watch | undefined {
	return store.getState().watches.find(watch => watch.number === number);
}

/** Follows the log of a watch. Returns why it ended. */
async function followWatch(
	{number, every, perHour}: Watch,
	log: Pick<Request, 'condition' | 'source'>,
	handle: TailHandle,
	dependencies: Dependencies,
): Promise<string> {
	const {store, notifier, clock} = dependencies;
	try {
		const reason = await runWatch({
			...log,
			everyMs: every,
			clock,
			signal: handle.abort.signal,
			control: handle.control,
			allowedAt() {
				const watch = watchOf(number, store);
				return (watch && heldUntil(watch, clock.now())) ?? Number.NEGATIVE_INFINITY;
			},
			onLimit: until =>
				notifier.notify({alert: `Watch ${number} is waiting.`, text: limitNotice({number, perHour}, until)}),
			report: matches => reportMatches(number, matches, dependencies),
			onState(state) {
				handle.reported = state;
				showState(number, handle, dependencies);
			},
		});
		return reason ?? 'the log is closed';
	} catch (error) {
		return reportError(error).message.replace(/\.$/, '');
	}
}

/** Removes a watch, with a notice unless the user stopped it. */
function endWatch(number: number, reason: string | undefined, {store, notifier}: Dependencies): Watch | undefined {
	const watch = watchOf(number, store);
	store.getState().removeWatch(number);
	if (watch && reason !== undefined) {
		const hint = `It found ${formatAmount(watch.found, 'line')}. List active watches: /watch`;
		notifier.notify({alert: `Watch ${number} ended.`, text: `Watch ${number} ended: ${reason}.`, hint});
	}

	return watch;
}

/** Notifies the user of matches, or asks the agent about them. */
async function reportMatches(number: number, matches: Matches, dependencies: Dependencies): Promise<void> {
	const {store, notifier, conversation, clock} = dependencies;
	const watch = watchOf(number, store);
	if (!watch) {
		return;
	}

	const {changeWatch} = store.getState();
	changeWatch(number, {found: watch.found + matches.count});
	const tellUser = (hint: string) => {
		const alert = `Watch ${number} found ${formatAmount(matches.count, 'line')}.`;
		notifier.notify({alert, text: matchNotice(watch, matches), hint});
	};
	if (watch.ask === undefined) {
		tellUser(`Open the log: /env logs ${watch.environment}`);
		return;
	}

	if (watch.session !== store.getState().transcript.session) {
		const short = watch.session.slice(0, 8);
		tellUser(`It may ask the agent in session ${short} only. Return there: /resume ${short}`);
		return;
	}

	if (!conversation().hasTurns()) {
		tellUser('The agent has no turn left, so it was not asked. Send it a message to continue.');
		return;
	}

	changeWatch(number, {turns: [...recentTurns(watch, clock.now()), clock.now()]});
	notifier.alert(`Watch ${number} is asking the agent.`);
	try {
		await conversation().send(matchPrompt(watch, watch.ask, matches), 'watch');
		changeWatch(number, {isPaused: false});
	} catch (error) {
		// Nothing was sent, so no turn is used. The user is told once.
		changeWatch(number, {turns: watch.turns, isPaused: true});
		if (!watch.isPaused) {
			const {message} = reportError(error);
			const hint = `It asks again after your next message here. Stop it: /watch stop ${number}`;
			notifier.notify({alert: `Watch ${number} is paused.`, text: `Watch ${number} is paused: ${message}`, hint});
		}
	}
}

function showState(number: number, handle: TailHandle, {store, clock}: Dependencies): void {
	store.getState().changeWatch(number, {state: describeState(shownState(handle), clock.now())});
}

/** Suspends a watch while the app is connected elsewhere. */
function holdWatch(number: number, handle: TailHandle, elsewhere: string, dependencies: Dependencies): void {
	holdTail(handle);
	showState(number, handle, dependencies);
	const text = `Watch ${number} is paused: the app is connected to ${elsewhere}.`;
	const hint = `It resumes when you reconnect. Stop it: /watch stop ${number}`;
	dependencies.notifier.notify({alert: `Watch ${number} is paused.`, text, hint});
}

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
async function runWatch(options: Options): Promise<string | undefined> {
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
