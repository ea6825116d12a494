import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** Waits of no more than so many milliseconds pass in silence (SAFETY 21). */
const silentWait = 2000;

/**
 * Says through `say` that a call is tried again in so many milliseconds, with the reason last: a narrow line cuts it.
 * What a moment may put right is not worth a line; the error says it where the moment did not.
 */
export function waitTeller(say: (text: string) => void): (milliseconds: number, error: unknown) => void {
	return (milliseconds, error) => {
		if (milliseconds > silentWait) {
			const why = error instanceof AppError ? error.message : "The server isn't responding.";
			say(`Retrying in ${formatDuration(milliseconds)}: ${why}`);
		}
	};
}
