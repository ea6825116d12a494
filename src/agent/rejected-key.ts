import {AppError} from '../core/error.ts';
import type {ProviderName} from '../core/model.ts';
import type {Host} from './host-transports.ts';

/**
 * Yields the answer of a host. If the host rejects a key that is from a variable, the hint of the error names the variable,
 * because a stored key isn't used while that is set. Throws other errors of `answer` as they are.
 */
export async function* namingVariable<T>(
	answer: AsyncIterable<T>,
	provider: ProviderName,
	{variable}: Pick<Host, 'variable'>,
): AsyncGenerator<T> {
	try {
		yield* answer;
	} catch (error) {
		if (!(error instanceof AppError && error.badKey && variable)) {
			throw error;
		}

		throw new AppError(error.code, error.message, {
			cause: error.cause,
			hint: `The key is from ${variable}. Correct it, or unset it and run \`keys set ${provider}\`.`,
			badKey: true,
		});
	}
}
