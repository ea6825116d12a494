import {setTimeout as sleep} from 'node:timers/promises';
import {sql} from 'kysely';
import {messageOf} from '../../core/error.ts';
import {isDatabaseFault, isReadOnlyFault} from '../database/fault.ts';
import {refusesWrites} from '../database/refused-writes.ts';
import type {Database} from '../database/tables.ts';
import type {ServerRoute} from '../kit/route.ts';
import type {SandboxProvider} from '../sandboxes/provider.ts';
import type {SandboxServices} from '../sandboxes/sandboxing.ts';

/** How long database and engine may take; probes of load balancers and Kubernetes wait for one to five seconds. */
const answerTimeoutMs = 900;

/** What to do if the database can't be used. */
const checkDatabase = 'Check that it runs, its disk, and --database.';

const fullDisk =
	'The disk of the database refuses writes: it is full, or it fails. Free some space on it, or check it.';

/** What readiness asks: one part of the server, and a sentence if that can't be used. */
type Part = {readonly ask: () => Promise<string | undefined>; readonly silence: string};

/**
 * Returns the two addresses that a load balancer asks: `/healthz` says that the process lives, `/readyz` that the database
 * accepts a change right now, its disk has refused none, and the engine answers, otherwise 503 with the reason of each. A server that drains isn't ready
 * either. While it closes, it answers 503 to both.
 */
export function healthRoutes(
	{database, sandboxes}: Pick<SandboxServices, 'database' | 'sandboxes'>,
	isDraining: () => boolean,
): readonly ServerRoute[] {
	const parts: readonly (readonly [name: string, part: Part])[] = [
		['database', once({ask: () => whyNotReady(database), silence: `The database does not answer. ${checkDatabase}`})],
		[
			'engine',
			once({
				ask: () => whyNoEngine(sandboxes.provider),
				silence: 'The engine does not answer. Check that it runs, and --engine.',
			}),
		],
	];
	return [
		{method: 'GET', path: '/healthz', auth: 'none', handle: () => Response.json({status: 'ok'})},
		{
			method: 'GET',
			path: '/readyz',
			auth: 'none',
			async handle() {
				if (isDraining()) {
					return unavailable({status: 'draining', detail: 'This server is stopping.'});
				}

				const states = await Promise.all(parts.map(async ([name, part]) => [name, await inTime(part)] as const));
				const faults = states.flatMap(([, fault]) => fault ?? []);
				const named = Object.fromEntries(states.map(([name, fault]) => [name, fault ?? 'ok']));
				return faults.length === 0
					? Response.json({status: 'ok', ...named})
					: unavailable({status: 'unavailable', detail: faults.join(' '), ...named});
			},
		},
	];
}

function unavailable(body: Readonly<Record<string, string>>): Response {
	return Response.json(body, {status: 503, headers: {'retry-after': '1'}});
}

/** Returns the part, asked once at a time, however many want to know: anyone may. */
function once({ask, silence}: Part): Part {
	let pending: Promise<string | undefined> | undefined;
	return {
		silence,
		ask() {
			pending ??= ask().finally(() => {
				pending = undefined;
			});
			return pending;
		},
	};
}

async function inTime({ask, silence}: Part): Promise<string | undefined> {
	const cancel = new AbortController();
	const timeout = sleep(answerTimeoutMs, silence, {signal: cancel.signal});
	const fault = await Promise.race([ask(), timeout.catch(() => undefined)]);
	cancel.abort();
	return fault;
}

async function whyNotReady(database: Database): Promise<string | undefined> {
	try {
		// Changes no row, but needs a database that accepts changes.
		await database.updateTable('workspaces').set({slug: sql`slug`}).where('id', '=', '').execute();
		// Which takes no space, so that a full disk doesn't refuse it.
		return refusesWrites(database) ? fullDisk : undefined;
	} catch (error) {
		if (isReadOnlyFault(error)) {
			return 'The database accepts no writes. Check whether it is a standby, or a file or disk that may only be read.';
		}

		return isDatabaseFault(error)
			? `The database does not answer, has no room, or is damaged. ${checkDatabase}`
			: 'The database failed. See the log of this server.';
	}
}

/** This machine always answers: without containment it starts no sandbox, but does everything else. */
async function whyNoEngine({isShared, unavailableReason}: SandboxProvider): Promise<string | undefined> {
	return isShared ? await unavailableReason().catch(messageOf) : undefined;
}
