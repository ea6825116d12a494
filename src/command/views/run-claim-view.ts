import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {RunClaim} from '../../contract/resources/run-claim.ts';
import {AppError} from '../../core/error.ts';
import {formatDuration} from '../../core/format.ts';
import {factsPart} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Attempt = {readonly run: string; readonly runtime: string | undefined; readonly execution: string};

/** Adds a hint that repeats the same attempt if its outcome is unknown. A new attempt would claim the run twice. */
export async function withSameAttempt<T>(claimed: Promise<T>, {run, runtime, execution}: Attempt): Promise<T> {
	try {
		return await claimed;
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== 'network') {
			throw error;
		}

		const words = ['run claim', run, ...(runtime ? ['--runtime', runtime] : []), '--execution', execution];
		const wait = error.retryAfter === undefined ? '' : ` in ${formatDuration(error.retryAfter)}`;
		throw new AppError(error.code, error.message, {
			hint: `It may have been done. Repeat the same attempt${wait}: \`${words.join(' ')}\``,
			cause: error,
		});
	}
}

/** Returns a claimed run, with the id that this host writes with. */
export function claimResult(claim: Lenient<RunClaim>): Result {
	return {
		kind: 'group',
		parts: [
			factsPart([
				['run', claim.run_id],
				['status', claim.status],
				['fencing id', claim.execution_id ?? 'none from the server'],
			]),
			...(claim.execution_id
				? [{kind: 'text', text: 'Send the fencing id with every later write from this host.'} as const]
				: []),
		],
		data: originalOf(claim),
	};
}
