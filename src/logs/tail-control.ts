import type {TailClock} from './tail-clock.ts';
import type {TailState} from './tail-state.ts';

/** Suspends and resumes a tail. */
export type TailSwitch = {
	/** Sends no request until `resume`, as while the program is suspended. */
	readonly suspend: () => void;
	/** Continues at once: after a suspension, after a new login, in the middle of a wait. */
	readonly resume: () => void;
	readonly isSuspended: () => boolean;
	/** Calls `listener` at each `resume`. Returns a function that removes it. */
	readonly onResume: (listener: () => void) => () => void;
};

/** Creates a switch that is not suspended. */
export function createTailSwitch(): TailSwitch {
	const listeners = new Set<() => void>();
	let suspended = false;
	return {
		suspend() {
			suspended = true;
		},
		resume() {
			suspended = false;
			for (const listener of [...listeners]) {
				listener();
			}
		},
		isSuspended: () => suspended,
		onResume(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

type Waiting = {readonly clock: TailClock; readonly signal: AbortSignal; readonly control: TailSwitch};

/** Waits so many milliseconds, or forever; ends early if the switch wakes it or the signal aborts. Throws for neither. */
export async function waitFor(milliseconds: number | undefined, {clock, signal, control}: Waiting): Promise<void> {
	const cut = new AbortController();
	const end = () => cut.abort();
	const undo = control.onResume(end);
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

/** What a log is read with. Lines of two logins never mix. */
export type LogLogin = {
	/** Origin of the server. */
	readonly server: string;
	readonly profile: string;
};

/** Controls a running tail: it is on hold while the app is connected elsewhere. */
export type TailHandle = {
	readonly login: LogLogin;
	readonly abort: AbortController;
	readonly control: TailSwitch;
	isHeld: boolean;
	/** The state that the tail last reported. */
	reported: TailState;
};

export function createTailHandle({server, profile}: LogLogin): TailHandle {
	return {
		login: {server, profile},
		abort: new AbortController(),
		control: createTailSwitch(),
		isHeld: false,
		reported: {name: 'connecting'},
	};
}

export function hasLogin({login}: TailHandle, {server, profile}: LogLogin): boolean {
	return login.server === server && login.profile === profile;
}

/** Returns the state to show: a request that was sent before the hold may still report another one. */
export function shownState({isHeld, reported}: TailHandle): TailState {
	return isHeld && reported.name !== 'ended' ? {name: 'held'} : reported;
}

/** Suspends a tail until `releaseTail`. Its place in the log is kept. */
export function holdTail(handle: TailHandle): void {
	handle.isHeld = true;
	handle.control.suspend();
}

/** Resumes a tail at its place: the next answer shows whether lines are missing. */
export function releaseTail(handle: TailHandle): void {
	handle.isHeld = false;
	handle.reported = handle.reported.name === 'suspended' ? {name: 'connecting'} : handle.reported;
	handle.control.resume();
}
