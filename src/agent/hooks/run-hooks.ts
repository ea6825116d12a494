import {isAbort, messageOf} from '../../core/error.ts';
import type {RunEndReason} from '../../core/session/event.ts';
import type {Hooks} from './hooks.ts';

/** How long the hooks of an interrupted run may take. */
const interruptedTimeoutMs = 2000;

/** Runs the hooks for the end of a run. Returns what the user should know. Never throws. */
export async function endRun(hooks: Hooks, reason: RunEndReason, signal: AbortSignal): Promise<readonly string[]> {
	try {
		const until = signal.aborted ? AbortSignal.timeout(interruptedTimeoutMs) : signal;
		const {denied, warnings} = await hooks({event: 'run-end', reason}, until);
		return [...warnings, ...(denied === undefined ? [] : [`A hook objected to the run: ${denied}`])];
	} catch (error) {
		return isAbort(error) || signal.aborted ? [] : [`A run-end hook failed: ${messageOf(error)}`];
	}
}
