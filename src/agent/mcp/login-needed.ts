import {AppError} from '../../core/error.ts';

/** Returns the error that asks for a login, if that is the cause of another one. */
export function loginNeeded(error: unknown): AppError | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof AppError && cause.code === 'auth') {
			return cause;
		}
	}

	return undefined;
}
