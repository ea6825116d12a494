import type {ClientRefusal} from '../../../client/refusal.ts';
import {refusalOf} from '../../../client/refusal.ts';
import {AppError} from '../../../core/error.ts';

/**
 * Adds a hint to the error of a runtime that wasn't resumed. The server's message stays; its `type` says which limit was
 * reached, because several share a status. Other errors are returned unchanged.
 */
export function explainRuntimeRefusal(error: unknown, runtime: string, org: string): unknown {
	const refusal = refusalOf(error);
	return refusal ? withHint(error, hintForType(refusal, org) ?? hintForStatus(refusal.status, runtime)) : error;
}

/** Does the same for a new sandbox. */
export function explainSandboxRefusal(error: unknown, org: string): unknown {
	const refusal = refusalOf(error);
	return refusal ? withHint(error, hintForType(refusal, org)) : error;
}

function withHint(error: unknown, hint: string | undefined): unknown {
	return hint && error instanceof AppError
		? new AppError(error.code, error.message, {hint, cause: error, permanent: error.permanent})
		: error;
}

function hintForType({status, type}: ClientRefusal, org: string): string | undefined {
	switch (type) {
		case 'usage_limit_exceeded_error':
			// Too many requests have the same type, but another status.
			return status === 429
				? undefined
				: `Ask an owner of ${org} to buy credits, or wait for the next refill (\`credits show\`).`;
		case 'member_limit_exceeded_error':
			return `Ask an owner of ${org} to raise or lift your monthly limit (\`credits unlimit <your id>\`), or wait for the next month.`;
		case 'org_sandbox_capacity_exceeded_error':
			return `Stop another sandbox of ${org} first, or ask an owner for a higher limit.`;
		case 'task_error':
			return 'Restore the task that it runs, then try again.';
		default:
			return undefined;
	}
}

function hintForStatus(status: number, runtime: string): string | undefined {
	switch (status) {
		case 403:
			return 'Ask its owner to resume it.';
		case 404:
			return `Check the key or UUID “${runtime}”, the org and the workspace.`;
		case 409:
			return 'It may be pausing or resuming. Try again in a moment.';
		default:
			return undefined;
	}
}
