import {AppError} from '../core/error.ts';
import type {Interaction} from './interaction.ts';

type Options = Pick<Interaction, 'confirm'> & {
	/** Logs in to that server, as the `login` command does. */
	readonly logIn: (server: string) => Promise<unknown>;
};

/**
 * Runs a command; where its server wants a login first, offers one in place and runs the command again, so that nobody has
 * to type it twice. The server did nothing for a request that it did not know the sender of. Throws what `run` throws
 * where the person does not want to log in, and what the login throws.
 */
export async function logInPlace<T>(run: () => Promise<T>, {confirm, logIn}: Options): Promise<T> {
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
