import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';

/** A server with a login, as far as its logs are concerned. */
type LogAccess = {
	readonly server: string;
	/** Returns the log of an environment, given its id or the beginning of it. */
	readonly logOf: (environment: string) => LogSource;
};

/** Returns a source that opens its log on the first read. If that fails, the next read tries again. */
export function openedOnFirstRead(open: (signal: AbortSignal) => Promise<LogSource>): LogSource {
	let opened: LogSource | undefined;
	return async (cursor, signal) => {
		opened ??= await open(signal);
		return opened(cursor, signal);
	};
}

/**
 * Returns the log of an environment for a tail that outlives its login. If the login is rejected, it uses the one that is
 * stored by then, provided that it is for the same server. Throws as `LogSource` does.
 */
export function renewedLogSource(
	environment: string,
	{server, logOf}: LogAccess,
	servers: {readonly open: () => Promise<LogAccess>},
): LogSource {
	let source = logOf(environment);
	return async (cursor, signal) => {
		try {
			return await source(cursor, signal);
		} catch (error) {
			const isRefused = error instanceof AppError && error.logInTo !== undefined;
			const renewed = isRefused ? await servers.open().catch(() => undefined) : undefined;
			if (renewed?.server !== server) {
				throw error;
			}

			source = renewed.logOf(environment);
			return source(cursor, signal);
		}
	};
}
