import {levelOf} from '../../logs/levels.ts';
import {createLogBuffer, type LogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import {turn} from '../../logs/slices.ts';
import {tailLog} from '../../logs/tail.ts';
import type {TailClock} from '../../logs/tail-clock.ts';
import {createTailHandle, type TailHandle} from '../../logs/tail-control.ts';
import type {OpenLog} from '../../store/logs-slice.ts';

/** One log that is followed. */
export type FollowedLog = TailHandle & {
	readonly environment: string;
	readonly buffer: LogBuffer;
	/** The last line while its end is still to come; undefined if there is none. */
	open: OpenLine | undefined;
	/** Counts for the store. */
	counts: Pick<OpenLog, 'lines' | 'gaps' | 'unread'>;
};

/** A last line without an end, of one log. `at` is when it was seen, in milliseconds since the epoch. */
export type OpenLine = {readonly environment: string; readonly seq: number; readonly at: number; readonly text: string};

type Listener = {
	readonly clock: TailClock;
	/** Called with each entry after the log keeps it. */
	readonly onEntry: (entry: LogEntry) => void;
	/** Called after a batch of entries. */
	readonly onEntries: () => void;
	readonly onState: () => void;
};

/** Longest stretch of work before keys are handled. */
const sliceMs = 8;

export function createFollowedLog(log: LogToFollow): FollowedLog {
	return {
		...createTailHandle(log),
		environment: log.environment,
		buffer: createLogBuffer(),
		open: undefined,
		counts: {lines: 0, gaps: 0, unread: 0},
	};
}

/** Follows a log until it ends or is aborted. Throws only for bugs. */
export async function followLog(
	log: FollowedLog,
	{source, sinceStart = false}: LogToFollow,
	listener: Listener,
): Promise<void> {
	const {control} = log;
	const {signal} = log.abort;
	const {clock} = listener;
	for await (const event of tailLog({source, signal, control, clock, sinceStart})) {
		if (signal.aborted) {
			return;
		}

		switch (event.type) {
			case 'lines':
				await addLines(log, event.lines, listener);
				listener.onEntries();
				break;
			case 'mark': {
				const {mark} = event;
				log.counts = {...log.counts, gaps: log.counts.gaps + (mark === 'restarted' ? 0 : 1)};
				add(log, {kind: 'mark', seq: log.counts.lines, at: clock.now(), mark}, listener);
				listener.onEntries();
				break;
			}
			case 'open': {
				const {environment} = log;
				const seq = log.counts.lines + 1;
				log.open = event.text === '' ? undefined : {environment, seq, at: clock.now(), text: event.text};
				listener.onEntries();
				break;
			}
			case 'state':
				log.reported = event.state;
				listener.onState();
				break;
			default:
				event satisfies never;
		}
	}
}

async function addLines(log: FollowedLog, lines: readonly string[], listener: Listener): Promise<void> {
	const {clock} = listener;
	let startedAt = performance.now();
	for (const text of lines) {
		const seq = log.counts.lines + 1;
		log.counts = {...log.counts, lines: seq, unread: log.counts.unread + 1};
		add(log, {kind: 'line', seq, at: clock.now(), text, level: levelOf(text)}, listener);
		if (performance.now() - startedAt > sliceMs) {
			await turn();
			if (log.abort.signal.aborted) {
				return;
			}

			startedAt = performance.now();
		}
	}
}

function add(log: FollowedLog, entry: LogEntry, {onEntry}: Listener): void {
	log.buffer.push(entry);
	onEntry(entry);
}
