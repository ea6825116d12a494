import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** Waits of no more than so many milliseconds pass in silence (SAFETY 21). */
const silentWait = 2000;

/**
 * Prints through `say` that a call is retried in so many milliseconds, with the reason last: a narrow line cuts it.
 * A short wait is not worth a line; the error says it if the retry fails.
 */
export function waitTeller(say: (text: string) => void): (milliseconds: number, error: unknown) => void {
	return (milliseconds, error) => {
		if (milliseconds > silentWait) {
			const why = error instanceof AppError ? error.message : "The server isn't responding.";
			say(`Retrying in ${formatDuration(milliseconds)}: ${why}`);
		}
	};
}
