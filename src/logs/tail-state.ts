import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** Why a tail ended, and the error that caused it. */
type Ended = {readonly name: 'ended'; readonly why: string; readonly error: AppError};

/** What a tail is doing. Times are milliseconds of its clock. */
export type TailState =
	| {readonly name: 'connecting'}
	/** With `isComplete` the server gives offsets, so nothing was missed since the tail began. */
	| {readonly name: 'live'; readonly isComplete: boolean}
	/** The last answer may have missed lines. */
	| {readonly name: 'gap'}
	/** A request has had no answer for a while. */
	| {readonly name: 'stale'; readonly since: number}
	| {readonly name: 'reconnecting'; readonly attempt: number; readonly retryAt: number; readonly error: AppError}
	/** The login was rejected. The tail resumes after `TailSwitch.resume`. */
	| {readonly name: 'login'; readonly error: AppError}
	| {readonly name: 'suspended'}
	/** Suspended until the app connects to its server again. */
	| {readonly name: 'held'}
	| Ended;

/** Returns a state as text: `live`, `reconnecting in 3 s (attempt 2)`. `now` is the time of the tail's clock. */
export function describeState(state: TailState, now: number): string {
	switch (state.name) {
		case 'live':
			return state.isComplete ? 'live, complete' : 'live';
		case 'stale':
			return `stale ${wholeSeconds(now - state.since)}`;
		case 'reconnecting':
			return `reconnecting in ${wholeSeconds(state.retryAt - now)} (attempt ${state.attempt})`;
		case 'login':
			return 'login needed';
		case 'held':
			return 'on hold: connected elsewhere';
		case 'ended':
			return `ended: ${state.why}`;
		default:
			return state.name;
	}
}

/** Returns whole seconds as text, never `0 ms`. */
function wholeSeconds(milliseconds: number): string {
	const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
	return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** Returns the state after a failure that no retry can fix; undefined if it may pass. */
export function finalState(error: unknown, isFirst: boolean): Ended | Extract<TailState, {name: 'login'}> | undefined {
	if (!(error instanceof AppError)) {
		throw error;
	}

	// A captive portal may appear later, but an address that never worked stays wrong.
	if (error.code === 'network' && !(isFirst && error.permanent)) {
		return undefined;
	}

	return error.logInTo ? {name: 'login', error} : {name: 'ended', why: reasonOf(error), error};
}

/** Returns the state of a tail whose environment has ended, which is no failure. */
export function endedWith(state: string): Ended {
	const why = state === 'failed' ? 'the sandbox failed' : 'the sandbox is gone';
	return {name: 'ended', why, error: new AppError('not-found', `T${why.slice(1)}.`)};
}

function reasonOf({code, message}: AppError): string {
	return code === 'not-found' ? 'the environment is gone' : message.replace(/\.$/, '');
}
