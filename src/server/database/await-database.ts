import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../../core/error.ts';
import {isDatabaseFault, isDiskFault} from './fault.ts';

type Waiting = {
	/** Ends the wait. */
	readonly signal: AbortSignal;
	/** Called with a sentence when the wait begins, when its reason changes, and when it is over. */
	readonly onChange?: ((sentence: string) => void) | undefined;
	readonly delayMs?: number;
};

const defaultDelayMs = 2000;

/** How many times longer it waits for space: each attempt begins an upgrade again, locks its tables, and fills what was freed. */
const fullDiskFactor = 15;

/** A wrong user or password, and no such database: time doesn't mend them. */
const loginCodes = /^(?:28|3D)/;

/**
 * Opens what needs a database, again and again until the database answers: after a start of the whole machine, or a failover, it
 * comes later than the server. Throws every error that another attempt wouldn't mend, and AppError("interrupted") if `signal`
 * aborts.
 */
export async function whenDatabaseAnswers<T>(open: () => Promise<T>, waiting: Waiting): Promise<T> {
	const {signal, onChange, delayMs = defaultDelayMs} = waiting;
	let reason: string | undefined;
	for (;;) {
		let isFull = false;
		try {
			const opened = await open();
			if (reason !== undefined) {
				onChange?.('The database answers.');
			}

			return opened;
		} catch (error) {
			if (!(error instanceof AppError) || !isAbsence(error)) {
				throw error;
			}

			isFull = isDiskFault(error.cause);
			// PostgreSQL names another block of its disk each time.
			const found = isFull ? 'full disk' : error.message;
			if (found !== reason) {
				reason = found;
				onChange?.(`${error.message} Waiting for it.`);
			}
		}

		await sleep(isFull ? delayMs * fullDiskFactor : delayMs, undefined, {signal}).catch(() => {
			throw new AppError('interrupted', 'Stopped while it waited for the database.');
		});
	}
}

/** Returns whether a database isn't there yet, or no more. */
function isAbsence({code, cause}: AppError): boolean {
	const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
	return code === 'network' && isDatabaseFault(cause) && !loginCodes.test(reason);
}
