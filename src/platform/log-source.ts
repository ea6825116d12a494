import {AppError} from '../core/error.ts';
import type {LogSource} from '../logs/source.ts';
import type {PlatformSession} from './platform-access.ts';

type Session = Pick<PlatformSession, 'server' | 'logOf'>;

/**
 * The log of an environment for a tail that outlives its login: where that is not accepted any more, the one that is
 * stored by now is tried, as long as it is of the same server. Throws as `LogSource` does.
 */
export function renewedLogSource(
	environment: string,
	{server, logOf}: Session,
	platform: {readonly open: () => Promise<Session>},
): LogSource {
	let source = logOf(environment);
	return async (cursor, signal) => {
		try {
			return await source(cursor, signal);
		} catch (error) {
			const isRefused = error instanceof AppError && error.logInTo !== undefined;
			const renewed = isRefused ? await platform.open().catch(() => undefined) : undefined;
			if (renewed?.server !== server) {
				throw error;
			}

			source = renewed.logOf(environment);
			return source(cursor, signal);
		}
	};
}
