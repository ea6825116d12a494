import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {RunClaim} from '../../contract/resources/run.ts';
import {AppError} from '../../core/error.ts';
import {formatDuration} from '../../core/format.ts';
import {factsPart} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Attempt = {readonly run: string; readonly runtime: string | undefined; readonly execution: string};

type Interrupt = {readonly signal: AbortSignal; readonly say: (text: string) => void};

/**
 * Adds a hint that repeats the same attempt if its outcome is unknown, and says it after an interrupt: a new attempt can't
 * claim the run that this one may have claimed.
 */
export async function withSameAttempt<T>(
	claimed: Promise<T>,
	{run, runtime, execution}: Attempt,
	{signal, say}: Interrupt,
): Promise<T> {
	const words = ['run claim', run, ...(runtime ? ['--runtime', runtime] : []), '--execution', execution];
	const line = `\`${words.join(' ')}\``;
	try {
		return await claimed;
	} catch (error) {
		if (signal.aborted) {
			say(`The server may have claimed the run anyway. Repeat the same attempt: ${line}`);
		}

		if (!(error instanceof AppError) || error.code !== 'network') {
			throw error;
		}

		const wait = error.retryAfter === undefined ? '' : ` in ${formatDuration(error.retryAfter)}`;
		throw new AppError(error.code, error.message, {
			hint: `It may have been done. Repeat the same attempt${wait}: ${line}`,
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
