import {messageOf} from '../../core/error.ts';
import type {Services} from '../handlers/services.ts';

const defaultIntervalMs = 10 * 60_000;

type Shared = Pick<Services, 'database' | 'now' | 'log'>;

/** Starts a periodic cleanup of expired rows. Login attempts of strangers are stored as rows, too. */
export function startCleanup(services: Shared, intervalMs = defaultIntervalMs): {readonly close: () => Promise<void>} {
	let current = Promise.resolve();
	const timer = setInterval(() => {
		current = current
			.then(() => sweepExpired(services))
			.catch(error => {
				// The database may be unavailable for a moment; the next cleanup catches up.
				services.log({level: 'warn', message: 'sweep', error: messageOf(error)});
			});
	}, intervalMs);
	timer.unref();
	return {
		async close() {
			clearInterval(timer);
			await current;
		},
	};
}

/** Deletes rows that expired over an hour ago. */
async function sweepExpired({database, now}: Shared): Promise<void> {
	const hourAgo = new Date(now().getTime() - 60 * 60 * 1000).toISOString();
	for (const table of ['tokens', 'device_authorizations', 'browser_sessions', 'password_codes'] as const) {
		await database.deleteFrom(table).where('expires_at', '<', hourAgo).execute();
	}

	await database.deleteFrom('attempts').where('resets_at', '<', hourAgo).execute();
}
