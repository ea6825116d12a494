import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** Why a tail ended, and the error behind it. */
export type Ended = {readonly name: 'ended'; readonly why: string; readonly error: AppError};

/** What a tail is doing. Times are milliseconds of its clock. */
export type TailState =
	| {readonly name: 'connecting'}
	/** With `isComplete` the server counts what it gives, so that nothing was missed since the tail began. */
	| {readonly name: 'live'; readonly isComplete: boolean}
	/** The last answer may have missed lines. */
	| {readonly name: 'gap'}
	/** Nothing came for a while, and an answer is waited for. */
	| {readonly name: 'stale'; readonly since: number}
	| {readonly name: 'reconnecting'; readonly attempt: number; readonly retryAt: number; readonly error: AppError}
	/** The login is not accepted any more; it goes on once it is woken. */
	| {readonly name: 'login'; readonly error: AppError}
	| {readonly name: 'suspended'}
	/** Nothing is asked for until its server is connected to again; then it goes on where it was. */
	| {readonly name: 'held'}
	| Ended;

/** A state for the screen, as `live` or `reconnecting in 3 s (attempt 2)`. `now` is the time of the tail's clock. */
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

/** Seconds counted down or up, never `0 ms`. */
function wholeSeconds(milliseconds: number): string {
	const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
	return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** The state after a failure that no further try can change, or undefined for one that may go away by itself. */
export function finalState(error: unknown, isFirst: boolean): Ended | Extract<TailState, {name: 'login'}> | undefined {
	if (!(error instanceof AppError)) {
		throw error;
	}

	// A proxy or a login page of a hotel may come between later, but an address that was never right stays wrong.
	if (error.code === 'network' && !(isFirst && error.permanent)) {
		return undefined;
	}

	return error.logInTo ? {name: 'login', error} : {name: 'ended', why: reasonOf(error), error};
}

function reasonOf({code, message}: AppError): string {
	return code === 'not-found' ? 'the environment is gone' : message.replace(/\.$/, '');
}
