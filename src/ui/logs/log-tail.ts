import {createLogBuffer, type LogBuffer} from '../../logs/log-buffer.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import type {TailState} from '../../logs/tail-state.ts';
import {createTailSwitch, type TailSwitch} from '../../logs/tail-switch.ts';
import type {OpenLog} from '../../store/logs-slice.ts';

/** With what a log is read: the lines of two logins are never mixed. */
export type Login = Pick<LogToFollow, 'server' | 'profile'>;

/** One log that is followed. */
export type Tail = {
	readonly login: Login;
	readonly buffer: LogBuffer;
	readonly abort: AbortController;
	readonly control: TailSwitch;
	/** True while the app is connected elsewhere. */
	isHeld: boolean;
	/** What it said last of its state; while it is held that is not what is shown. */
	said: TailState;
	/** What the store does not know yet. */
	facts: Pick<OpenLog, 'state' | 'lines' | 'gaps' | 'unread'>;
};

export function createTail({server, profile}: Login): Tail {
	const state: TailState = {name: 'connecting'};
	return {
		login: {server, profile},
		buffer: createLogBuffer(),
		abort: new AbortController(),
		control: createTailSwitch(),
		isHeld: false,
		said: state,
		facts: {state, lines: 0, gaps: 0, unread: 0},
	};
}

export function isReadWith({login}: Tail, {server, profile}: Login): boolean {
	return login.server === server && login.profile === profile;
}

/** Notes what a tail says of its state. A request that was on its way may still do so while it is held. */
export function noteState(tail: Tail, state: TailState): void {
	tail.said = state;
	tail.facts = {...tail.facts, state: tail.isHeld && state.name !== 'ended' ? {name: 'held'} : state};
}

/** Has a tail ask for nothing more until `releaseTail`. Its place in the log is kept. */
export function holdTail(tail: Tail): void {
	tail.isHeld = true;
	tail.control.suspend();
	noteState(tail, tail.said);
}

/** Has it go on at once from its place: the next answer tells whether lines are missing. */
export function releaseTail(tail: Tail): void {
	tail.isHeld = false;
	noteState(tail, tail.said.name === 'suspended' ? {name: 'connecting'} : tail.said);
	tail.control.wake();
}
