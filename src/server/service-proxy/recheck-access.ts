import type {Services} from '../handlers/services.ts';
import {loggingFaults} from '../kit/log.ts';
import type {Access} from './service-access.ts';

/** How long a connection may outlive the access of whoever opened it. */
export const recheckMs = 5000;

/** An open request or WebSocket, and who opened it. */
type Open = Pick<Access, 'caller'> & {readonly environmentId: string; readonly end: () => void};

/** Ends open connections to services once those who opened them have no access any more (SAFETY 31). */
export type AccessRecheck = {
	/** Watches a connection until the returned function is called. */
	readonly watch: (open: Open) => () => void;
	readonly check: () => Promise<void>;
	readonly close: () => void;
};

export function createAccessRecheck(services: Services): AccessRecheck {
	const watched = new Set<Open>();
	const attempt = loggingFaults(services.log, 'service access');
	const check = async () => {
		const connections = [...watched];
		const allowed = new Map<string, Promise<boolean>>();
		for (const {caller, environmentId, end} of connections) {
			const key = JSON.stringify([caller.userId, caller.apiKeyId, environmentId]);
			const answer = allowed.get(key) ?? hasAccess(services, caller, environmentId);
			allowed.set(key, answer);
			if (!(await answer)) {
				end();
			}
		}
	};
	const timer = setInterval(() => void attempt(check), recheckMs);
	timer.unref();
	return {
		watch(open) {
			watched.add(open);
			return () => watched.delete(open);
		},
		check,
		close: () => clearInterval(timer),
	};
}

/** Returns whether a caller is still a member who isn't suspended, of an organization that isn't, with a key that is active. */
async function hasAccess(
	{database}: Services,
	{userId, apiKeyId}: Access['caller'],
	environmentId: string,
): Promise<boolean> {
	const row = await database
		.selectFrom('environments')
		.innerJoin('organizations', 'organizations.id', 'environments.organization_id')
		.innerJoin('members', 'members.organization_id', 'organizations.id')
		.innerJoin('users', 'users.id', 'members.user_id')
		.leftJoin('api_keys', join => join.on('api_keys.id', '=', apiKeyId))
		.select('environments.id')
		.where('environments.id', '=', environmentId)
		.where('users.id', '=', userId)
		.where('organizations.suspended_at', 'is', null)
		.where('users.suspended_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.executeTakeFirst();
	return row !== undefined;
}
