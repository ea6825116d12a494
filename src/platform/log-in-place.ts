import {AppError} from '../core/error.ts';
import type {Interaction} from './interaction.ts';

/**
 * Runs a command. If its server requires a login, offers one and runs the command again; the server did nothing for the
 * first, unauthenticated request. `logIn` logs in to a server, as the `login` command does. Throws what `run` throws if the user declines, and what the login throws.
 */
export async function logInPlace<T>(
	run: () => Promise<T>,
	confirm: Interaction['confirm'],
	logIn: (server: string) => Promise<unknown>,
): Promise<T> {
	try {
		return await run();
	} catch (error) {
		const server = error instanceof AppError ? error.logInTo : undefined;
		if (!server || !(await confirm(`You aren't logged in to ${server}. Log in now?`))) {
			throw error;
		}

		await logIn(server);
		return run();
	}
}
