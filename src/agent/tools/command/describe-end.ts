import {constants} from 'node:os';
import {formatDuration} from '../../../core/format.ts';
import type {ToolFacts} from '../../../core/session/event.ts';

/** How a command ended, and when. */
export type Finish = {
	readonly status: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly milliseconds: number;
	/** The time limit, if it ended the command. */
	readonly timeoutMs?: number;
	/** The limit that it exceeded, which ended it. */
	readonly limit?: string;
	/** Who stopped it. */
	readonly stoppedBy?: 'model' | 'user';
	/** Why it couldn't be started. */
	readonly problem?: string;
};

/** Returns how a command ended, such as `exit status 1 after 2.5 s`; to the user a success is `done after 2.5 s`. */
export function describeEnd(finish: Finish, reader: 'model' | 'user' = 'model'): string {
	const {status, signal, milliseconds, timeoutMs, limit, stoppedBy, problem} = finish;
	const after = `after ${formatDuration(milliseconds)}`;
	if (problem !== undefined) {
		return problem;
	}

	if (timeoutMs !== undefined) {
		return `timed out ${after} and was stopped`;
	}

	if (limit !== undefined) {
		return `stopped ${after}: ${limit}`;
	}

	if (stoppedBy) {
		return `stopped${stoppedBy === 'user' ? ' by the user' : ''} ${after}`;
	}

	return `${reader === 'user' && status === 0 ? 'done' : exitOf({status, signal})} ${after}`;
}

/** Returns what a result says of an end beside its text: nothing in words for status 0, and no time, which the call has. */
export function endFacts(finish: Finish): Pick<ToolFacts, 'status' | 'end'> {
	const {status, timeoutMs, limit, stoppedBy, problem} = finish;
	const isExit = (problem ?? timeoutMs ?? limit ?? stoppedBy) === undefined;
	return isExit && status === 0 ? {status} : {status, end: isExit ? exitOf(finish) : describeEnd(finish)};
}

function exitOf({status, signal}: Pick<Finish, 'status' | 'signal'>): string {
	const name = signal ?? signalOf(status ?? 0);
	if (status === null) {
		return `signal ${name}`;
	}

	return name === undefined ? `exit status ${status}` : `exit status ${status} (${name})`;
}

/** Shells add 128 to the number of the signal that ended a program. */
function signalOf(status: number): string | undefined {
	return Object.entries(constants.signals).find(([, number]) => status === 128 + number)?.[0];
}
