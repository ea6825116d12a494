import type {OperationId} from '../contract/operations.ts';
import {AppError} from '../core/error.ts';

/** How a connection ends that was there already: the request may have arrived. Codes of Node and undici. */
const brokenOff: readonly unknown[] = [
	'UND_ERR_SOCKET',
	'UND_ERR_HEADERS_TIMEOUT',
	'UND_ERR_BODY_TIMEOUT',
	'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
	'ECONNRESET',
	'EPIPE',
	'ETIMEDOUT',
];

/** How a person sees whether a write was done. What is not listed has no list of its own to look at. */
const looks: Readonly<Partial<Record<OperationId, string>>> = {
	createSubmissionStage: 'Stage it again: that returns the stage that is active.',
	createEnvironment: 'Look with `env list` before you try again.',
	verifyMfaEnrollment: 'Look at your account page on the server before you try again.',
	unarchiveSession: 'Try again: a session that is not archived stays as it is.',
	updateUserPreferences: 'Look with `model list` before you try again.',
	stopEnvironment: 'Try again: a sandbox that was stopped stays as it is.',
	createRuntime: 'Look with `runtime list` before you try again.',
	resumeRuntime: 'Look with `runtime list` before you try again.',
	removeMemberLimit: 'Try again: a member without a limit stays as they are.',
	updateOrganization: 'Try again: the same values change nothing more.',
	pushTraces: 'Look for the spans before you send them again: they may be stored twice.',
	createApiKey: 'Look with `api-key list`, and revoke the key if you do not have its secret.',
	revokeApiKey: 'Look with `api-key list` before you try again.',
};

/** The error of a write whose answer did not come or cannot be read: nobody knows whether it was done, and the hint says so. */
export function withDoubt(error: unknown, operation?: OperationId): unknown {
	const look = (operation && looks[operation]) ?? 'Look before you try again.';
	return error instanceof AppError
		? new AppError(error.code, error.message, {
				hint: `It may have been done. ${look}`,
				cause: error,
				permanent: true,
			})
		: error;
}

/** The same for a write that met no answer at all; one that never found the server is as it was. */
export function withDoubtIfSent(error: unknown, operation: OperationId): unknown {
	const cause = error instanceof AppError ? error.cause : undefined;
	return cause instanceof Error && 'code' in cause && brokenOff.includes(cause.code)
		? withDoubt(error, operation)
		: error;
}

/** Whether a refusal of this status may come after the write was done: something failed on the way back. */
export function leavesDoubt(status: number): boolean {
	return status >= 500 && status !== 503;
}
