import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';

/** A shorter wait isn't announced (SAFETY 21): the error reports it if the retry fails. */
const silentWaitMs = 2000;

/** Returns what announces a retry through `say`, with the reason last, because a narrow line is cut at its end. */
export function retryNotice(say: (text: string) => void): (delayMs: number, error: unknown) => void {
	return (delayMs, error) => {
		if (delayMs > silentWaitMs) {
			const why = error instanceof AppError ? error.message : "The server isn't responding.";
			say(`Retrying in ${formatDuration(delayMs)}: ${why}`);
		}
	};
}
