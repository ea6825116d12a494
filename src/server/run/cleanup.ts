import {messageOf} from '../../core/error.ts';
import type {Services} from '../handlers/services.ts';

/** How often it is looked for what has expired, in milliseconds. */
const usualInterval = 10 * 60_000;

type Shared = Pick<Services, 'database' | 'now' | 'log'>;

/** Forgets what has expired until it is closed, whoever comes or not: strangers' attempts to sign in are rows, too. */
export function startCleanup(services: Shared, interval = usualInterval): {readonly close: () => Promise<void>} {
	let current = Promise.resolve();
	const timer = setInterval(() => {
		current = current
			.then(() => sweepExpired(services))
			.catch(error => {
				// The database may be gone for a moment; the next time does what this one did not.
				services.log({level: 'warn', message: 'sweep', error: messageOf(error)});
			});
	}, interval);
	timer.unref();
	return {
		async close() {
			clearInterval(timer);
			await current;
		},
	};
}

/** Forgets what has expired an hour ago: it opens nothing, and nobody asks for it any more. */
async function sweepExpired({database, now}: Shared): Promise<void> {
	const hourAgo = new Date(now().getTime() - 60 * 60 * 1000).toISOString();
	for (const table of ['tokens', 'device_authorizations', 'browser_sessions', 'password_codes'] as const) {
		await database.deleteFrom(table).where('expires_at', '<', hourAgo).execute();
	}

	await database.deleteFrom('attempts').where('resets_at', '<', hourAgo).execute();
}
