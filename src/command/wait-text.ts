import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** What is said before a call is tried again in so many milliseconds, with the reason last: a narrow line cuts it. */
export function waitText(milliseconds: number, error: unknown): string {
	const why = error instanceof AppError ? error.message : 'The server does not answer.';
	return `Trying again in ${formatDuration(milliseconds)}: ${why}`;
}
