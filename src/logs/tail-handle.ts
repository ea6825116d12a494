import type {TailState} from './tail-state.ts';
import {createTailSwitch, type TailSwitch} from './tail-switch.ts';

/** What a log is read with. Lines of two logins never mix. */
export type Login = {
	/** Origin of the server. */
	readonly server: string;
	readonly profile: string;
};

/** Controls a running tail: it is on hold while the app is connected elsewhere. */
export type TailHandle = {
	readonly login: Login;
	readonly abort: AbortController;
	readonly control: TailSwitch;
	isHeld: boolean;
	/** The state that the tail last reported. */
	reported: TailState;
};

export function createTailHandle({server, profile}: Login): TailHandle {
	return {
		login: {server, profile},
		abort: new AbortController(),
		control: createTailSwitch(),
		isHeld: false,
		reported: {name: 'connecting'},
	};
}

export function hasLogin({login}: TailHandle, {server, profile}: Login): boolean {
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
