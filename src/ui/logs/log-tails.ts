import {AppError, messageOf} from '../../core/error.ts';
import {levelOf} from '../../logs/levels.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import {turn} from '../../logs/slices.ts';
import {tailLog} from '../../logs/tail.ts';
import {systemTailClock, type TailClock} from '../../logs/tail-clock.ts';
import type {TailState} from '../../logs/tail-state.ts';
import {allLogs, type OpenLog} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {createMergedLog, type MergedLog, type ReadLog} from './log-read.ts';
import {summaryOf} from './log-summary.ts';
import {createTail, holdTail, isReadWith, type Login, noteState, releaseTail, type Tail} from './log-tail.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly clock?: TailClock;
	/** Whether the person sees the end of that log now; what arrives unseen is counted. */
	readonly isSeen?: (environment: string) => boolean;
	/** Runs something after so many milliseconds; gives how to call it off. */
	readonly later?: (run: () => void, milliseconds: number) => () => void;
};

/** The logs that are followed: their lines, which the store does not hold. */
export type LogTails = {
	/**
	 * Follows a log. One that is followed already comes to the front and tries at once; one that has ended, or is followed
	 * with another login, is begun anew.
	 */
	readonly open: (log: LogToFollow) => void;
	/** Stops following a log and forgets its lines. Gives what came of it in one line, '' for one that is not open. */
	readonly close: (environment: string) => string;
	/** The same for all of them. */
	readonly closeAll: () => readonly string[];
	/** The lines of a log, or of all of them together. */
	readonly read: (focus: string) => ReadLog | undefined;
	/** Asks for nothing more with a login, because the app is connected elsewhere; its lines stay. */
	readonly hold: (login: Login) => void;
	/** Goes on with a login where `hold` left off: the next answer tells whether lines are missing. */
	readonly release: (login: Login) => void;
	/** Asks for nothing until `wake`, as while the program is stopped. */
	readonly suspend: () => void;
	/** Goes on at once, but for what is held: after a stop, after a new login, in the middle of a wait. */
	readonly wake: () => void;
	/** The time by which states count. */
	readonly now: () => number;
};

/** The screen hears of new lines at most 15 times a second (LOG-TAIL). */
const tellInterval = 1000 / 15;
/** A state that counts seconds is told anew so often. */
const tickInterval = 1000;
/** Longest stretch of work in milliseconds before keys get their turn. */
const slice = 8;

/** Follows logs for the app. What changed is told to the store in batches, as small facts. */
export function createLogTails(dependencies: Dependencies): LogTails {
	const {store, clock = systemTailClock, isSeen = () => true, later = laterByTimer} = dependencies;
	const tails = new Map<string, Tail>();
	let merged: MergedLog | undefined;
	let waiting: (() => void) | undefined;
	let toldAt = Number.NEGATIVE_INFINITY;

	const tell = () => {
		waiting?.();
		waiting = undefined;
		toldAt = performance.now();
		const changes = new Map<string, Partial<OpenLog>>();
		for (const [environment, tail] of tails) {
			if (isSeen(environment)) {
				tail.facts = {...tail.facts, unread: 0};
			}

			changes.set(environment, {...tail.facts, droppedLines: tail.buffer.droppedLines()});
		}

		store.getState().updateLogs(changes);
		if ([...tails.values()].some(({facts}) => isCounting(facts.state))) {
			waiting = later(tell, tickInterval);
		}
	};

	/** Lines are told soon and together; a state at once, because it must never be stale. */
	const tellSoon = () => {
		waiting?.();
		waiting = later(tell, Math.max(0, toldAt + tellInterval - performance.now()));
	};

	const push = (environment: string, {buffer}: Tail, entry: LogEntry) => {
		merged?.push(environment, entry);
		buffer.push(entry);
	};

	const become = (tail: Tail, state: TailState) => {
		noteState(tail, state);
		tell();
	};

	const takeLines = async (environment: string, tail: Tail, lines: readonly string[]) => {
		let begun = performance.now();
		for (const text of lines) {
			const seq = tail.facts.lines + 1;
			push(environment, tail, {kind: 'line', seq, at: clock.now(), text, level: levelOf(text)});
			tail.facts = {...tail.facts, lines: seq, unread: tail.facts.unread + 1};
			if (performance.now() - begun > slice) {
				await turn();
				if (tail.abort.signal.aborted) {
					return;
				}

				begun = performance.now();
			}
		}
	};

	const follow = async ({environment, source, sinceStart = false}: LogToFollow, tail: Tail) => {
		const {signal} = tail.abort;
		const {control} = tail;
		for await (const event of tailLog({source, signal, control, clock, sinceStart})) {
			if (signal.aborted) {
				return;
			}

			if (event.type === 'lines') {
				await takeLines(environment, tail, event.lines);
				tellSoon();
			} else if (event.type === 'mark') {
				const {mark} = event;
				push(environment, tail, {kind: 'mark', seq: tail.facts.lines, at: clock.now(), mark});
				tail.facts = {...tail.facts, gaps: tail.facts.gaps + (mark === 'restarted' ? 0 : 1)};
				tellSoon();
			} else {
				become(tail, event.state);
			}
		}
	};

	/** One order of everything, from the second log on. */
	const beginMerging = () => {
		const log = createMergedLog();
		for (const [environment, {buffer}] of tails) {
			for (let place = buffer.start(); place < buffer.end(); place++) {
				const entry = buffer.at(place);
				if (entry) {
					log.push(environment, entry);
				}
			}
		}

		merged = log;
	};

	const end = (tail: Tail, why: string) => {
		tail.abort.abort();
		become(tail, {name: 'ended', why, error: new AppError('interrupted', `${why}.`)});
	};

	const close = (environment: string): string => {
		const {logs, removeLog} = store.getState();
		const tail = tails.get(environment);
		const log = logs.find(open => open.environment === environment);
		if (!tail || !log) {
			return '';
		}

		tail.abort.abort();
		tails.delete(environment);
		merged = tails.size < 2 ? undefined : merged?.without(environment);
		removeLog(environment);
		return summaryOf({...log, ...tail.facts}, clock.now());
	};

	const wake = ({control, isHeld}: Tail) => {
		if (!isHeld) {
			control.wake();
		}
	};

	const withLogin = (login: Login) => [...tails.values()].filter(tail => isReadWith(tail, login));

	return {
		open(log) {
			const {environment, server} = log;
			const before = tails.get(environment);
			if (before && before.facts.state.name !== 'ended' && isReadWith(before, log)) {
				// Whoever asks for it again does not want to wait for the next try.
				wake(before);
				store.getState().focusLog(environment);
				store.getState().showLogDock(true);
				return;
			}

			close(environment);
			const tail = createTail(log);
			const {facts} = tail;
			tails.set(environment, tail);
			if (tails.size === 2) {
				beginMerging();
			}

			const title = titleOf(log, store.getState().logs);
			store.getState().addLog({environment, server, title, openedAt: clock.now(), droppedLines: 0, ...facts});
			follow(log, tail).catch((error: unknown) => end(tail, `a fault inside service: ${messageOf(error)}`));
		},
		close,
		closeAll: () => {
			const summaries = [...tails.keys()].map(close);
			waiting?.();
			return summaries;
		},
		read: focus => (focus === allLogs ? merged : tails.get(focus)?.buffer),
		hold(login) {
			withLogin(login).forEach(holdTail);
			tell();
		},
		release(login) {
			withLogin(login).forEach(releaseTail);
			tell();
		},
		suspend() {
			for (const {control} of tails.values()) {
				control.suspend();
			}
		},
		wake() {
			for (const tail of tails.values()) {
				wake(tail);
			}
		},
		now: clock.now,
	};
}

/** Two sandboxes of one task are told apart by their ids. */
function titleOf({environment, title}: LogToFollow, logs: readonly OpenLog[]): string {
	const id = environment.slice(0, 8);
	return title && logs.some(log => log.title === title) ? `${title} ${id.slice(0, 4)}` : (title ?? id);
}

function isCounting({name}: TailState): boolean {
	return name === 'stale' || name === 'reconnecting';
}

function laterByTimer(run: () => void, milliseconds: number): () => void {
	const timer = setTimeout(run, milliseconds);
	timer.unref();
	return () => clearTimeout(timer);
}
