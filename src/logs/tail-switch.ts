import type {TailClock} from './tail-clock.ts';

/** Stops a tail and lets it go on. */
export type TailSwitch = {
	/** No request is begun until `wake`, as while the program is suspended. */
	readonly suspend: () => void;
	/** Goes on at once: after a suspension, after a new login, in the middle of a wait. */
	readonly wake: () => void;
	readonly isSuspended: () => boolean;
	/** Has `listener` called at each `wake`; gives what takes it away again. */
	readonly onWake: (listener: () => void) => () => void;
};

/** A switch that is on. */
export function createTailSwitch(): TailSwitch {
	const listeners = new Set<() => void>();
	let suspended = false;
	return {
		suspend() {
			suspended = true;
		},
		wake() {
			suspended = false;
			for (const listener of [...listeners]) {
				listener();
			}
		},
		isSuspended: () => suspended,
		onWake(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

type Waiting = {readonly clock: TailClock; readonly signal: AbortSignal; readonly control: TailSwitch};

/** Waits so many milliseconds, or for ever, until the switch wakes it or the signal aborts. Never throws for either. */
export async function waitFor(milliseconds: number | undefined, {clock, signal, control}: Waiting): Promise<void> {
	const cut = new AbortController();
	const end = () => cut.abort();
	const undo = control.onWake(end);
	signal.addEventListener('abort', end, {once: true});
	const ended = new Promise<void>(resolve => cut.signal.addEventListener('abort', () => resolve(), {once: true}));
	try {
		if (!signal.aborted) {
			await (milliseconds === undefined ? ended : Promise.race([ended, sleepUntil(milliseconds, clock, cut.signal)]));
		}
	} finally {
		cut.abort();
		undo();
		signal.removeEventListener('abort', end);
	}
}

async function sleepUntil(milliseconds: number, clock: TailClock, signal: AbortSignal): Promise<void> {
	try {
		await clock.sleep(milliseconds, signal);
	} catch (error) {
		if (!signal.aborted) {
			throw error;
		}
	}
}
