import {userInfo} from 'node:os';
import type {OpenHosting} from '../../contract/hosting.ts';
import {AppError} from '../../core/error.ts';
import type {HostingChoice} from '../host-sessions/host-passes.ts';

type HostingFlags = {
	readonly hostSessions: boolean;
	readonly hostUsers: string | undefined;
	readonly folder: readonly string[] | undefined;
};

/**
 * Returns what hosts sessions, and for whom; undefined without the flag. Throws AppError("usage") for words and flags that need it,
 * and for the whole file system.
 */
export function readHosting(
	{hostSessions, hostUsers, folder: folders = []}: HostingFlags,
	open: OpenHosting | undefined,
): HostingChoice | undefined {
	if (!hostSessions || !open) {
		const [first] = folders;
		if (first !== undefined || hostUsers !== undefined) {
			const what =
				first === undefined ? '--host-users needs' : `Unexpected argument “${first}” for serve: folders need`;
			throw new AppError('usage', `${what} --host-sessions.`, {hint: 'See `serve --help`'});
		}

		return undefined;
	}

	const chosen = folders.length > 0 ? folders : [process.cwd()];
	if (chosen.includes('/')) {
		throw new AppError('usage', 'Hosted sessions can’t have the whole file system.', {
			hint: 'Name folders: `$ serve --host-sessions /srv/code`',
		});
	}

	const names = (hostUsers ?? '')
		.toLowerCase()
		.split(/[\s,]+/)
		.filter(Boolean);
	return {open, folders: chosen, users: names.includes('all') ? 'all' : names};
}

/** Returns who gets what by hosting: commands that they allow run as the user of the server, and reach what that reaches. */
export function hostingRisk({users}: Pick<HostingChoice, 'users'>): string {
	const named = users.length > 0 ? 'Administrators and the users of --host-users' : 'Administrators';
	return `${users === 'all' ? 'Every user' : named} can run commands on this machine as ${userInfo().username}.`;
}
