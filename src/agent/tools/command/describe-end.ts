import {constants} from 'node:os';
import {formatDuration} from '../../../core/format.ts';

/** How a command ended, and when. */
export type Finish = {
	readonly status: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly milliseconds: number;
	/** The time limit, if it ended the command. */
	readonly timeoutMs?: number;
	/** True if it was stopped on request. */
	readonly isStopped?: boolean;
	/** Why it couldn't be started. */
	readonly problem?: string;
};

/** Returns how a command ended, such as `exit status 1 after 2.5 s`. */
export function describeEnd({status, signal, milliseconds, timeoutMs, isStopped, problem}: Finish): string {
	const after = `after ${formatDuration(milliseconds)}`;
	if (problem !== undefined) {
		return problem;
	}

	if (timeoutMs !== undefined) {
		return `timed out ${after} and was stopped`;
	}

	if (isStopped) {
		return `stopped ${after}`;
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
