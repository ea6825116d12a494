import {constants} from 'node:os';
import {formatDuration} from '../../../core/format.ts';

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

/** Returns how a command ended, such as `exit status 1 after 2.5 s`. */
export function describeEnd({status, signal, milliseconds, timeoutMs, limit, stoppedBy, problem}: Finish): string {
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

	const name = signal ?? signalOf(status ?? 0);
	return status === null || name === undefined
		? `${status === null ? `signal ${name}` : `exit status ${status}`} ${after}`
		: `exit status ${status} (${name}) ${after}`;
}

/** Shells add 128 to the number of the signal that ended a program. */
function signalOf(status: number): string | undefined {
	return Object.entries(constants.signals).find(([, number]) => status === 128 + number)?.[0];
}
