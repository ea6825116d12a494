import {onTestFinished} from 'vitest';
import type {LogAnswer, LogCursor} from '../../src/contract/log-cursor.ts';
import {AppError} from '../../src/core/error.ts';
import {type TailEvent, tailLog} from '../../src/logs/tail.ts';
import type {TailClock} from '../../src/logs/tail-clock.ts';
import {createTailSwitch} from '../../src/logs/tail-control.ts';
import {describeState} from '../../src/logs/tail-state.ts';

/** What a server answers: the text of a window, a whole answer, an error, or nothing until it is given up. */
export type Reply = string | LogAnswer | Error | 'hang';

export const notFound = new AppError('not-found', 'The server does not know this.');
export const down = new AppError('network', 'Nothing listens here.');
export const refused = new AppError('auth', 'The login is not accepted.', {logInTo: 'https://lab.test'});

/** How many turns of the event loop: on a busy machine, even a short log is read in several slices with a turn between them. */
const turns = 40;

/**
 * Time that jumps to the next timer as soon as nothing else is to be done: once that was so for some turns of the event
 * loop. Chance is always 0.
 */
export function jumpingClock(): TailClock {
	let now = 0;
	const timers = new Set<{readonly at: number; readonly ring: () => void}>();
	let immediate: NodeJS.Immediate | undefined;
	const jump = () => {
		immediate = undefined;
		const next = [...timers].sort((one, other) => one.at - other.at)[0];
		if (next) {
			timers.delete(next);
			now = Math.max(now, next.at);
			next.ring();
			schedule();
		}
	};

	const schedule = (left = turns) => {
		clearImmediate(immediate);
		immediate = timers.size > 0 ? setImmediate(() => (left > 1 ? schedule(left - 1) : jump())) : undefined;
	};

	return {
		now: () => now,
		random: () => 0,
		sleep: (milliseconds, signal) =>
			new Promise((resolve, reject) => {
				const timer = {
					at: now + milliseconds,
					ring() {
						signal.removeEventListener('abort', cancel);
						resolve();
					},
				};
				const cancel = () => {
					timers.delete(timer);
					schedule();
					reject(signal.reason);
				};
				timers.add(timer);
				schedule();
				signal.addEventListener('abort', cancel);
			}),
	};
}

type Options = {
	readonly sinceStart?: boolean;
	/** Sees each event, with what stops the tail and lets it go on. */
	readonly onEvent?: (event: TailEvent, control: ReturnType<typeof createTailSwitch>, abort: () => void) => void;
};

/** Follows a server that gives these answers, then 404. Gives what was told, and when, as one reads it. */
export async function follow(replies: readonly Reply[], {sinceStart = false, onEvent}: Options = {}) {
	const abort = new AbortController();
	onTestFinished(() => abort.abort());
	const clock = jumpingClock();
	const control = createTailSwitch();
	const asked: (LogCursor & {readonly at: number})[] = [];
	const told: string[] = [];
	const source = async (cursor: LogCursor, signal: AbortSignal): Promise<LogAnswer> => {
		const reply = replies[asked.length] ?? notFound;
		asked.push({...cursor, at: clock.now()});
		if (reply === 'hang') {
			await clock.sleep(12_000, signal);
			throw down;
		}

		if (reply instanceof Error) {
			throw reply;
		}

		return typeof reply === 'string' ? {kind: 'window', text: reply} : reply;
	};

	for await (const event of tailLog({source, signal: abort.signal, clock, control, sinceStart})) {
		onEvent?.(event, control, () => abort.abort());
		if (event.type === 'lines') {
			told.push(...event.lines);
		} else if (event.type === 'open') {
			told.push(event.text === '' ? '<ended>' : `<open ${event.text}>`);
		} else {
			told.push(event.type === 'mark' ? `-- ${event.mark}` : `<${describeState(event.state, clock.now())}>`);
		}
	}

	return {told, asked, times: asked.map(({at}) => Math.round(at))};
}
