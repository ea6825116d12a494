import {setTimeout as sleep} from 'node:timers/promises';
import {sql} from 'kysely';
import {isDatabaseFault, isReadOnlyFault} from '../database/fault.ts';
import type {Database} from '../database/tables.ts';
import type {ServerRoute} from '../kit/route.ts';

/** How long the database may take; probes of load balancers and Kubernetes wait for one to five seconds. */
const answerTimeoutMs = 900;

/**
 * Returns the two addresses that a load balancer asks: `/healthz` says that the process lives, `/readyz` that the database
 * accepts a change right now, otherwise 503 with the reason. While the server stops, it answers 503 to both.
 */
export function healthRoutes(database: Database): readonly ServerRoute[] {
	let pending: Promise<string | undefined> | undefined;
	/** Asks once at a time, however many want to know: anyone may. */
	const ask = () => {
		pending ??= whyNotReady(database).finally(() => {
			pending = undefined;
		});
		return pending;
	};
	return [
		{method: 'GET', path: '/healthz', auth: 'none', handle: () => Response.json({status: 'ok'})},
		{
			method: 'GET',
			path: '/readyz',
			auth: 'none',
			async handle() {
				const cancel = new AbortController();
				const timeout = sleep(answerTimeoutMs, 'The database does not answer.', {signal: cancel.signal});
				const detail = await Promise.race([ask(), timeout.catch(() => undefined)]);
				cancel.abort();
				return detail === undefined
					? Response.json({status: 'ok'})
					: Response.json({status: 'unavailable', detail}, {status: 503, headers: {'retry-after': '1'}});
			},
		},
	];
}

async function whyNotReady(database: Database): Promise<string | undefined> {
	try {
		// Changes no row, but needs a database that accepts changes.
		await database.updateTable('workspaces').set({slug: sql`slug`}).where('id', '=', '').execute();
		return undefined;
	} catch (error) {
		if (isReadOnlyFault(error)) {
			return 'The database accepts no writes.';
		}

		return isDatabaseFault(error)
			? 'The database does not answer, has no room, or is damaged.'
			: 'The database failed.';
	}
}
