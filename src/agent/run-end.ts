import {AppError, type ErrorReport, isAbort, reportError} from '../core/error.ts';
import type {RunEndReason, StopReason} from '../core/session/event.ts';

/** How a run ended. */
export type RunEnd = {
	readonly reason: RunEndReason;
	readonly stopReason: StopReason;
	readonly refused?: boolean;
	readonly error?: ErrorReport;
};

/** The end of a run that the user interrupted. */
export const interrupted: RunEnd = {reason: 'interrupted', stopReason: 'incomplete'};

/** Returns the end of a run that threw this. */
export function endOf(error: unknown): RunEnd {
	const report = reportError(error);
	if (isAbort(error) || report.code === 'interrupted') {
		return interrupted;
	}

	if (report.code === 'incomplete') {
		return {reason: 'incomplete', stopReason: 'incomplete', error: report};
	}

	if (report.code === 'budget') {
		return {reason: 'budget', stopReason: 'incomplete', error: report};
	}

	const refused = error instanceof AppError && error.overflow && {refused: true};
	return {reason: 'error', stopReason: 'error', ...refused, error: report};
}
