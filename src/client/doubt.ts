import type {OperationId} from '../contract/extensions.ts';
import {AppError} from '../core/error.ts';

/** Codes of Node and undici for a connection that broke after it was established: the request may have arrived. */
const brokenOff: readonly unknown[] = [
	'UND_ERR_SOCKET',
	'UND_ERR_HEADERS_TIMEOUT',
	'UND_ERR_BODY_TIMEOUT',
	'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
	'ECONNRESET',
	'EPIPE',
	'ETIMEDOUT',
];

/** How the user can check whether a write was done. */
const checks: Readonly<Partial<Record<OperationId, string>>> = {
	createSubmissionStage: 'Stage it again; that returns the active stage.',
	createEnvironment: 'Check `env list` before you retry.',
	verifyMfaEnrollment: 'Check your account page on the server before you retry.',
	unarchiveSession: 'Try again; an unarchived session stays as it is.',
	updateUserPreferences: 'Check `model list` before you retry.',
	stopEnvironment: 'Try again; a stopped sandbox stays as it is.',
	createRuntime: 'Check `runtime list` before you retry.',
	resumeRuntime: 'Check `runtime list` before you retry.',
	stopRuntime: 'Try again; a stopped runtime stays as it is.',
	removeMemberLimit: 'Try again; a member without a limit stays unchanged.',
	updateOrganization: 'Try again; the same values change nothing more.',
	pushTraces: 'Check for the spans before you push them again, or they may be stored twice.',
	createApiKey: 'Check `api-key list`, and revoke the key if you don’t have it.',
	deleteSession: 'Try again; what is gone stays gone.',
	deleteEnvironment: 'Try again; what is gone stays gone.',
	deleteProject: 'Try again; what is gone stays gone.',
	deleteOrganization: 'Check `org list` before you retry.',
	deleteServerOrganization: 'Check `org list` before you retry.',
	revokeApiKey: 'Check `api-key list` before you retry.',
};

/** Returns the error of a write without a readable response, with a hint that it may have been done. */
export function withDoubt(error: unknown, operation?: OperationId): unknown {
	const check = (operation && checks[operation]) ?? 'Check before you retry.';
	return error instanceof AppError
		? new AppError(error.code, error.message, {
				hint: `It may have been done. ${check}`,
				cause: error,
				permanent: true,
			})
		: error;
}

/** Returns `withDoubt` of an error if the request may have been sent, else the error itself. */
export function withDoubtIfSent(error: unknown, operation: OperationId): unknown {
	const cause = error instanceof AppError ? error.cause : undefined;
	return cause instanceof Error && 'code' in cause && brokenOff.includes(cause.code)
		? withDoubt(error, operation)
		: error;
}

/** Returns true if a write may have been done despite this status: something failed on the way back. */
export function leavesDoubt(status: number): boolean {
	return status >= 500 && status !== 503;
}
