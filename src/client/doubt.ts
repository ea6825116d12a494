import {AppError} from '../core/error.ts';

/** How a connection ends that was there already: the request may have arrived. Codes of Node and undici. */
const brokenOff: readonly unknown[] = ['UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ECONNRESET', 'EPIPE'];

/** The error of a write whose answer did not come or cannot be read: nobody knows whether it was done, and the hint says so. */
export function withDoubt(error: unknown): unknown {
	return error instanceof AppError
		? new AppError(error.code, error.message, {
				hint: 'It may have been done all the same: look before you try again.',
				cause: error,
				permanent: true,
			})
		: error;
}

/** The same for a write that met no answer at all; one that never found the server is as it was. */
export function withDoubtIfSent(error: unknown): unknown {
	const cause = error instanceof AppError ? error.cause : undefined;
	return cause instanceof Error && 'code' in cause && brokenOff.includes(cause.code) ? withDoubt(error) : error;
}
