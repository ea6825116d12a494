import {randomUUID} from 'node:crypto';
import {AppError} from '../../core/error.ts';
import {endSweep, takeSweep} from '../database/sweep-lease.ts';
import {loggingFaults} from '../kit/log.ts';
import {repeat} from '../kit/repeat.ts';
import {releaseBytes} from '../quota/stored-bytes.ts';
import {type DataPlace, type DeletionServices, deleteAssessment, deleteSession, deleteSpans} from './delete-data.ts';

/** What is deleted after some days: sessions with their spans and artifacts, logs of sandboxes, and findings. */
const common = ['spans', 'logs', 'findings'] as const;

/** Artifacts alone, however long their spans stay, only if they are named. */
const kinds = [...common, 'artifacts'] as const;

type Kind = (typeof kinds)[number];

/** After how many days each kind is deleted; a kind without days is kept. */
export type Retention = Readonly<Partial<Record<Kind, number>>>;

/** Longer than any server keeps anything. */
const mostDays = 36_500;

const example = 'Give days, such as --retention 90, or some for each kind: --retention spans=30,logs=7,findings=365';

/** Parses the value of `--retention`: days for all kinds, or for each. Throws AppError("usage") for anything else. */
export function parseRetention(text: string): Retention {
	const parts = text.split(',').map(part => part.split('='));
	const given = parts.flatMap(([first = '', second]) =>
		second === undefined ? common.map(kind => [kind, first] as const) : [[first, second] as const],
	);
	if (new Set(given.map(([kind]) => kind)).size < given.length) {
		throw new AppError('usage', `--retention “${text}” names a kind twice.`, {hint: example});
	}

	for (const [kind, days] of given) {
		if (!kinds.some(each => each === kind)) {
			throw new AppError('usage', `--retention knows no “${kind}”, only ${kinds.join(', ')}.`, {hint: example});
		}

		if (/^0+$/.test(days)) {
			throw new AppError('usage', `--retention of 0 days would delete everything at once.`, {
				hint: 'Use at least 1, or leave --retention out to keep everything.',
			});
		}

		if (!/^\d{1,6}$/.test(days) || Number(days) > mostDays) {
			throw new AppError('usage', `--retention needs whole days up to ${mostDays}, not “${days}”.`, {hint: example});
		}
	}

	return Object.fromEntries(given.map(([kind, days]) => [kind, Number(days)]));
}

const dayMs = 24 * 60 * 60 * 1000;

/** How often it looks, and how many sessions or assessments it then reads at once. */
const intervalMs = 10 * 60_000;

/** When it first looks: a server that is started more often than it looks deletes, too. */
const firstMs = 60_000;
const slice = 100;

/** Deletes what is older than it is kept, of every organization. Billing isn't touched. Ends early if `signal` aborts. */
export async function sweepRetention(
	services: DeletionServices,
	{spans, findings, artifacts}: Retention,
	{signal, renew}: {readonly signal?: AbortSignal; readonly renew?: () => Promise<boolean>} = {},
): Promise<void> {
	const {database, now} = services;
	const before = (days: number) => new Date(now().getTime() - days * dayMs).toISOString();
	const workspaces = await database.selectFrom('workspaces').select(['id', 'organization_id']).execute();
	const goesOn = async () => !signal?.aborted && (renew === undefined || (await renew()));
	for (const {id, organization_id} of workspaces) {
		const place: DataPlace = {organizationId: organization_id, workspaceId: id};
		if (spans !== undefined) {
			const cutoff = before(spans);
			const next = () => findOld(services, 'sessions', id, cutoff);
			for (let old = await next(); old.length > 0 && (await goesOn()); old = await next()) {
				for (const session of old) {
					await deleteSession(services, place, session.id, {signal});
				}
			}

			await deleteOldSpans(services, place, cutoff, signal);
		}

		if (artifacts !== undefined) {
			await deleteOldArtifacts(services, place, now().getTime() - artifacts * dayMs, goesOn);
		}

		if (findings !== undefined) {
			const next = () => findOld(services, 'assessments', id, before(findings));
			for (let old = await next(); old.length > 0 && (await goesOn()); old = await next()) {
				for (const assessment of old) {
					await deleteAssessment(services, place, assessment.id);
				}
			}
		}
	}
}

/** Deletes old spans without a session, project by project: the index of a project has its spans in this order. */
async function deleteOldSpans(services: DeletionServices, place: DataPlace, cutoff: string, signal?: AbortSignal) {
	const projects = await services.database
		.selectFrom('projects')
		.select('id')
		.where('workspace_id', '=', place.workspaceId)
		.execute();
	for (const {id} of projects) {
		await deleteSpans(
			services,
			place,
			({eb, and}) => and([eb('project_id', '=', id), eb('received_at', '<', cutoff), eb('session_id', 'is', null)]),
			signal,
		);
	}
}

/** Removes artifacts that were stored before a time, and gives their bytes back. Spans still name them, and resolving one is 404. */
async function deleteOldArtifacts(
	{database, artifacts: {blobs}}: DeletionServices,
	{organizationId, workspaceId}: DataPlace,
	beforeMs: number,
	goesOn: () => Promise<boolean>,
): Promise<void> {
	for (let after = ''; await goesOn(); ) {
		const stored = (await blobs.list(workspaceId, after)) ?? [];
		for (const {name, bytes, storedAtMs} of stored) {
			if (storedAtMs < beforeMs) {
				await blobs.remove(name);
				await releaseBytes(database, organizationId, bytes);
			}
		}

		const last = stored.at(-1);
		if (!last) {
			return;
		}

		after = last.name;
	}
}

/** Returns some of what hasn't changed since a time. */
function findOld({database}: DeletionServices, table: 'sessions' | 'assessments', workspaceId: string, cutoff: string) {
	return database
		.selectFrom(table)
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('updated_at', '<', cutoff)
		.limit(slice)
		.execute();
}

/** Starts to delete what is older than it is kept, which one of the servers on a database does. */
export function startRetention(
	services: DeletionServices,
	retention: Retention,
	everyMs = intervalMs,
): {readonly close: () => Promise<void>} {
	const {database, log, now} = services;
	const sweep = {name: 'retention', server: randomUUID()};
	const stopping = new AbortController();
	const renew = () => takeSweep(database, {...sweep, nowMs: now().getTime(), leaseMs: 2 * everyMs});
	const options = {log, message: 'retention', everyMs, afterMs: Math.min(everyMs, firstMs)};
	const sweeping = repeat(options, async () => {
		if (await renew()) {
			await sweepRetention(services, retention, {signal: stopping.signal, renew});
		}
	});
	return {
		async close() {
			stopping.abort();
			await sweeping.close();
			await loggingFaults(log, 'retention')(() => endSweep(database, sweep));
		},
	};
}
