import {AppError, messageOf} from '../../core/error.ts';
import type {FilteredLine} from '../../logs/filter.ts';
import {levelOf} from '../../logs/levels.ts';
import {createLogBuffer, type LogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import {turn} from '../../logs/slices.ts';
import {tailLog} from '../../logs/tail.ts';
import {systemTailClock, type TailClock} from '../../logs/tail-clock.ts';
import {
	createTailHandle,
	hasLogin,
	holdTail,
	type LogLogin,
	releaseTail,
	shownState,
	type TailHandle,
} from '../../logs/tail-control.ts';
import type {TailState} from '../../logs/tail-state.ts';
import {allLogs, type OpenLog} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {stillStepMs} from '../../terminal/motion.ts';
import {summaryOf} from './log-display.ts';
import {createMergedLog, type LogEntries, type MergedLog} from './merged-log.ts';

/** One log that is followed. */
type FollowedLog = TailHandle & {
	readonly environment: string;
	readonly buffer: LogBuffer;
	/** The last line while its end is still to come; undefined if there is none. */
	open: OpenLine | undefined;
	/** Counts for the store. */
	counts: Pick<OpenLog, 'lines' | 'gaps' | 'unread'>;
};

/** A last line without an end, of one log. `at` is when it was seen, in milliseconds since the epoch. */
export type OpenLine = {readonly environment: string; readonly seq: number; readonly at: number; readonly text: string};

type Dependencies = {
	readonly store: AppStore;
	readonly clock?: TailClock;
	/** Returns true if that log is on the screen; what arrives unseen is counted. */
	readonly isSeen?: (environment: string) => boolean;
	/** Returns which lines of a log its filter shows: those that it hides are never unread. */
	readonly shows?: (environment: string, lines: readonly FilteredLine[]) => readonly boolean[];
	readonly later?: Later;
};

/** The logs that the app follows. Their lines are kept here, and small facts about them in the store. */
export type FollowedLogs = {
	/**
	 * Follows a log. A log that is already followed is focused and polled at once; one that has ended, or is followed with
	 * another login, starts over.
	 */
	readonly open: (log: LogToFollow) => void;
	/** Stops following a log and drops its lines. Returns a summary on one line, '' if it is not open. */
	readonly close: (environment: string) => string;
	/** Closes all logs. Returns their summaries. */
	readonly closeAll: () => readonly string[];
	/** Returns the entries of a log, or of all of them together. */
	readonly entriesOf: (focus: string) => LogEntries | undefined;
	/** Returns the last lines of a log, or of all, whose end is still to come. */
	readonly openLines: (focus: string) => readonly OpenLine[];
	/** Suspends the logs of a login, because the app is connected elsewhere. Their lines stay. */
	readonly hold: (login: LogLogin) => void;
	/** Resumes the logs of a login. */
	readonly release: (login: LogLogin) => void;
	/** Suspends all logs until `resume`, as while the program is stopped. */
	readonly suspend: () => void;
	/** Polls at once all logs that are not on hold: after a stop, after a login, in the middle of a wait. */
	readonly resume: () => void;
	/** Returns the time by which states count. */
	readonly now: () => number;
};

type Followed = {
	readonly store: AppStore;
	readonly clock: TailClock;
	readonly isSeen: (environment: string) => boolean;
	readonly shows: NonNullable<Dependencies['shows']>;
	readonly logs: Map<string, FollowedLog>;
	/** All logs in one order, if there are several. */
	merged: MergedLog | undefined;
};

/** Creates the list of followed logs, empty. */
export function createFollowedLogs(dependencies: Dependencies): FollowedLogs {
	const {store, clock = systemTailClock, isSeen = () => true, later} = dependencies;
	const {shows = (_, lines) => lines.map(() => true)} = dependencies;
	const followed: Followed = {store, clock, isSeen, shows, logs: new Map(), merged: undefined};
	const updates = createLogUpdates({
		later,
		publish: () => publish(followed),
		tickMs: () => (store.getState().isStill ? stillStepMs : 1000),
	});
	const withLogin = (login: LogLogin) => [...followed.logs.values()].filter(log => hasLogin(log, login));
	return {
		open: log => openLog(followed, log, updates),
		close: environment => closeLog(followed, environment),
		closeAll() {
			const summaries = [...followed.logs.keys()].map(environment => closeLog(followed, environment));
			updates.cancel();
			return summaries;
		},
		entriesOf: focus => (focus === allLogs ? followed.merged : followed.logs.get(focus)?.buffer),
		openLines: focus =>
			[...followed.logs.values()].flatMap(({environment, open}) =>
				open && (focus === allLogs || focus === environment) ? [open] : [],
			),
		hold(login) {
			withLogin(login).forEach(holdTail);
			updates.publish();
		},
		release(login) {
			withLogin(login).forEach(releaseTail);
			updates.publish();
		},
		suspend() {
			for (const {control} of followed.logs.values()) {
				control.suspend();
			}
		},
		resume() {
			followed.logs.forEach(resumeLog);
		},
		now: clock.now,
	};
}

/** Puts what changed into the store. Returns true if a state counts seconds, or a line waits for its place. */
function publish({store, logs, isSeen, merged, clock}: Followed): boolean {
	const live = [...logs.values()].filter(log => canGrow(shownState(log))).map(({environment}) => environment);
	const isWaiting = merged?.settle(clock.now(), live) ?? false;
	const changes = new Map<string, Partial<OpenLog>>();
	for (const [environment, log] of logs) {
		if (isSeen(environment)) {
			log.counts = {...log.counts, unread: 0};
		}

		changes.set(environment, factsOf(log));
	}

	store.getState().updateLogs(changes);
	return isWaiting || [...logs.values()].some(log => isCounting(shownState(log)));
}

function factsOf(log: FollowedLog): Pick<OpenLog, 'state' | 'lines' | 'gaps' | 'unread' | 'droppedLines'> {
	return {state: shownState(log), ...log.counts, droppedLines: log.buffer.droppedLines()};
}

function openLog(followed: Followed, given: LogToFollow, updates: LogUpdates): void {
	const {store, clock, logs} = followed;
	const {environment, server} = given;
	const before = logs.get(environment);
	if (before && before.reported.name !== 'ended' && hasLogin(before, given)) {
		resumeLog(before);
		store.getState().focusLog(environment);
		store.getState().showLogPanel(true);
		return;
	}

	closeLog(followed, environment);
	const log: FollowedLog = {
		...createTailHandle(given),
		environment,
		buffer: createLogBuffer(),
		open: undefined,
		counts: {lines: 0, gaps: 0, unread: 0},
	};
	logs.set(environment, log);
	followed.merged =
		followed.merged?.reopened(clock.now()) ?? (logs.size > 1 ? mergeLogs(logs.values(), clock.now()) : undefined);
	const title = titleOf(given, store.getState().logs);
	store.getState().addLog({environment, server, title, openedAt: clock.now(), ...factsOf(log)});
	followLog(followed, log, given, updates).catch((error: unknown) => {
		const why = `a fault inside service: ${messageOf(error)}`;
		log.abort.abort();
		log.reported = {name: 'ended', why, error: new AppError('interrupted', `${why}.`)};
		updates.publish();
	});
}

/** Longest stretch of work before keys are handled. */
const sliceMs = 8;

/** Follows a log until it ends or is aborted. Throws only for bugs. */
async function followLog(
	followed: Followed,
	log: FollowedLog,
	{source, sinceStart = false}: LogToFollow,
	updates: LogUpdates,
): Promise<void> {
	const {environment, control} = log;
	const {signal} = log.abort;
	const {clock} = followed;
	for await (const event of tailLog({source, signal, control, clock, sinceStart})) {
		if (signal.aborted) {
			return;
		}

		switch (event.type) {
			case 'lines':
				await addLines(followed, log, event.lines);
				updates.publishSoon();
				break;
			case 'mark': {
				const {mark} = event;
				log.counts = {...log.counts, gaps: log.counts.gaps + (mark === 'restarted' ? 0 : 1)};
				addEntry(followed, log, {kind: 'mark', seq: log.counts.lines, at: clock.now(), mark});
				updates.publishSoon();
				break;
			}
			case 'open': {
				const seq = log.counts.lines + 1;
				log.open = event.text === '' ? undefined : {environment, seq, at: clock.now(), text: event.text};
				updates.publishSoon();
				break;
			}
			case 'state':
				log.reported = event.state;
				updates.publish();
				break;
			default:
				event satisfies never;
		}
	}
}

async function addLines(followed: Followed, log: FollowedLog, lines: readonly string[]): Promise<void> {
	let startedAt = performance.now();
	let slice: FilteredLine[] = [];
	const countUnread = () => {
		const unread = followed.shows(log.environment, slice).filter(Boolean).length;
		log.counts = {...log.counts, unread: log.counts.unread + unread};
		slice = [];
	};
	for (const text of lines) {
		const seq = log.counts.lines + 1;
		const line = {text, level: levelOf(text)};
		log.counts = {...log.counts, lines: seq};
		addEntry(followed, log, {kind: 'line', seq, at: followed.clock.now(), ...line});
		slice.push(line);
		if (performance.now() - startedAt > sliceMs) {
			countUnread();
			await turn();
			if (log.abort.signal.aborted) {
				return;
			}

			startedAt = performance.now();
		}
	}

	countUnread();
}

function addEntry({merged, clock}: Followed, {environment, buffer}: FollowedLog, entry: LogEntry): void {
	buffer.push(entry);
	merged?.push(environment, entry, clock.now());
}

function closeLog(followed: Followed, environment: string): string {
	const {store, clock, logs} = followed;
	const log = logs.get(environment);
	const shown = store.getState().logs.find(open => open.environment === environment);
	if (!log || !shown) {
		return '';
	}

	log.abort.abort();
	logs.delete(environment);
	followed.merged = logs.size < 2 ? undefined : followed.merged?.without(environment);
	store.getState().removeLog(environment);
	return summaryOf({...shown, ...log.counts}, clock.now());
}

/** Returns the entries of all logs so far, which wait for those of the log that was opened last. */
function mergeLogs(logs: Iterable<FollowedLog>, now: number): MergedLog {
	const merged = createMergedLog();
	for (const {environment, buffer} of logs) {
		for (const entry of buffer.entriesFrom(buffer.start())) {
			merged.push(environment, entry, now);
		}
	}

	return merged;
}

function resumeLog({control, isHeld}: FollowedLog): void {
	if (!isHeld) {
		control.resume();
	}
}

/** Returns the title to show: two sandboxes of one task are told apart by their ids. */
function titleOf({environment, title}: LogToFollow, logs: readonly OpenLog[]): string {
	const id = environment.slice(0, 8);
	return title && logs.some(log => log.title === title) ? `${title} ${id.slice(0, 4)}` : (title ?? id);
}

function canGrow({name}: TailState): boolean {
	return name !== 'ended' && name !== 'held' && name !== 'login';
}

function isCounting({name}: TailState): boolean {
	return name === 'stale' || name === 'reconnecting';
}

/** Runs something after so many milliseconds. Returns a function that cancels it. */
type Later = (run: () => void, milliseconds: number) => () => void;

type Options = {
	/** Publishes what changed. Returns true if it is to be published again soon: a state counts seconds, or lines wait. */
	readonly publish: () => boolean;
	readonly later?: Later | undefined;
	/** Returns how often a state that counts seconds is published, in milliseconds. */
	readonly tickMs: () => number;
};

type LogUpdates = {
	readonly publish: () => void;
	/** Publishes once for all changes in a short time. */
	readonly publishSoon: () => void;
	readonly cancel: () => void;
};

/** The screen shows new lines at most 15 times a second (LOG-TAIL). */
const intervalMs = 1000 / 15;

/** Creates updates that are throttled for lines, and immediate for states, which must never be stale. */
function createLogUpdates({publish, tickMs, later = laterByTimer}: Options): LogUpdates {
	let cancel: () => void = () => undefined;
	let publishedAt = Number.NEGATIVE_INFINITY;

	const publishNow = () => {
		cancel();
		publishedAt = performance.now();
		if (publish()) {
			cancel = later(publishNow, tickMs());
		}
	};

	return {
		publish: publishNow,
		publishSoon() {
			cancel();
			cancel = later(publishNow, Math.max(0, publishedAt + intervalMs - performance.now()));
		},
		cancel: () => cancel(),
	};
}

function laterByTimer(run: () => void, milliseconds: number): () => void {
	const timer = setTimeout(run, milliseconds);
	timer.unref();
	return () => clearTimeout(timer);
}
