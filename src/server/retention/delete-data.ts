import {type Expression, type ExpressionBuilder, type SqlBool, sql} from 'kysely';
import {endedStates, isOver} from '../../contract/resources/environment.ts';
import type {ArtifactServices} from '../artifacts/artifact-services.ts';
import {objectName} from '../artifacts/object-name.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {lockWorkspaces} from '../ingest/target.ts';
import {reject} from '../kit/http-error.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import {releaseBytes} from '../quota/stored-bytes.ts';
import {logStoreOf, removeLogObjects} from '../sandboxes/log-store.ts';
import type {SandboxServices} from '../sandboxes/sandboxing.ts';

export type DeletionServices = ArtifactServices & SandboxServices;

/** The workspace that data is deleted from. */
export type DataPlace = {readonly organizationId: string; readonly workspaceId: string};

/** Enters a deletion in the audit log, in the transaction that completes it. */
export type RecordDeletion = (transaction: DatabaseTransaction) => Promise<void>;

/** How many rows a transaction deletes, so that pushes of spans wait for a moment at most. */
const sliceRows = 1000;

/** The bytes that a span was counted with when it was stored: see `encodeRows` of `ingest/store-spans.ts`. */
const spanBytes = sql<number>`octet_length(attributes) + octet_length(resource) + octet_length(events) + octet_length(name)
	+ coalesce(octet_length(status_message), 0) + 200`;

/** Which rows of a table to delete. */
type Which<Name extends keyof Tables> = (builder: ExpressionBuilder<Tables, Name>) => Expression<SqlBool>;

/** Runs a part of a deletion while no spans are stored in its workspace. */
function inSlice<Result>(
	{database}: DeletionServices,
	{organizationId, workspaceId}: DataPlace,
	work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
	return organizationTransaction(database, `spans ${organizationId}`, async transaction => {
		await lockWorkspaces(transaction, [workspaceId]);
		return await work(transaction);
	});
}

/**
 * Deletes spans of a workspace slice by slice, gives their bytes back to the organization, and deletes the artifacts that
 * no span refers to any more. Returns how many spans there were. After an interruption it can be called again.
 */
export async function deleteSpans(
	services: DeletionServices,
	place: DataPlace,
	which: Which<'spans'>,
	signal?: AbortSignal,
): Promise<number> {
	for (let deleted = 0; ; ) {
		signal?.throwIfAborted();
		const {count, orphans} = await inSlice(services, place, transaction => deleteSlice(transaction, place, which));
		await removeArtifacts(services, place, orphans);
		deleted += count;
		if (count < sliceRows) {
			return deleted;
		}
	}
}

async function deleteSlice(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId}: DataPlace,
	which: Which<'spans'>,
) {
	const slice = transaction
		.selectFrom('spans')
		.select(['organization_id', 'trace_id', 'span_id'])
		.where('workspace_id', '=', workspaceId)
		.where(which)
		.limit(sliceRows);
	const {rows} = await sql<{trace_id: string; bytes: number}>`delete from spans
		where (organization_id, trace_id, span_id) in ${slice} returning trace_id, ${spanBytes} as bytes`.execute(
		transaction,
	);
	if (rows.length === 0) {
		return {count: 0, orphans: []};
	}

	await releaseBytes(
		transaction,
		organizationId,
		rows.reduce((sum, {bytes}) => sum + bytes, 0),
	);
	const orphans = await transaction
		.deleteFrom('artifacts')
		.where('workspace_id', '=', workspaceId)
		.where('trace_id', 'in', [...new Set(rows.map(({trace_id}) => trace_id))])
		.where(({not, exists, selectFrom}) =>
			not(
				exists(
					selectFrom('spans')
						.select('span_id')
						.where('spans.organization_id', '=', organizationId)
						.whereRef('spans.trace_id', '=', 'artifacts.trace_id'),
				),
			),
		)
		.returning('oid')
		.execute();
	return {count: rows.length, orphans: orphans.map(({oid}) => oid)};
}

/** Removes the bytes of artifacts that nothing in the workspace refers to, and gives them back. */
async function removeArtifacts(
	{database, artifacts: {blobs}}: DeletionServices,
	{organizationId, workspaceId}: DataPlace,
	oids: readonly string[],
): Promise<void> {
	for (const oid of new Set(oids)) {
		const other = await database
			.selectFrom('artifacts')
			.select('oid')
			.where('workspace_id', '=', workspaceId)
			.where('oid', '=', oid)
			.limit(1)
			.executeTakeFirst();
		const name = objectName(workspaceId, oid);
		const size = other ? undefined : await blobs.size(name);
		if (size !== undefined) {
			await blobs.remove(name);
			await releaseBytes(database, organizationId, size);
		}
	}
}

/** Deletes rows of a table slice by slice. */
async function deleteRows<Name extends 'findings' | 'items' | 'workflow_runs' | 'assessments'>(
	services: DeletionServices,
	place: DataPlace,
	table: Name,
	column: string,
	value: string,
): Promise<void> {
	for (let count = sliceRows; count === sliceRows; ) {
		const {rows} = await inSlice(services, place, transaction =>
			sql`delete from ${sql.table(table)} where id in (select id from ${sql.table(table)}
				where ${sql.ref(column)} = ${value} and workspace_id = ${place.workspaceId} limit ${sliceRows})
				returning id`.execute(transaction),
		);
		count = rows.length;
	}
}

/** Deletes a session with its messages, spans, items and artifacts. What a span adds to it meanwhile is deleted, too. */
export async function deleteSession(
	services: DeletionServices,
	place: DataPlace,
	sessionId: string,
	{signal, record}: {readonly signal?: AbortSignal; readonly record?: RecordDeletion | undefined} = {},
): Promise<void> {
	for (let isGone = false; !isGone; ) {
		await deleteSpans(services, place, ({eb}) => eb('session_id', '=', sessionId), signal);
		await deleteRows(services, place, 'items', 'session_id', sessionId);
		isGone = await inSlice(services, place, async transaction => {
			const {rows} =
				await sql`delete from session_messages where (session_id, message_id) in (select session_id, message_id
				from session_messages where session_id = ${sessionId} limit ${sliceRows}) returning session_id`.execute(
					transaction,
				);
			const late = await transaction
				.selectFrom('spans')
				.select('span_id')
				.where('workspace_id', '=', place.workspaceId)
				.where('session_id', '=', sessionId)
				.limit(1)
				.executeTakeFirst();
			if (rows.length === sliceRows || late) {
				return false;
			}

			const {numDeletedRows} = await transaction
				.deleteFrom('sessions')
				.where('id', '=', sessionId)
				.where('workspace_id', '=', place.workspaceId)
				.executeTakeFirst();
			await (numDeletedRows > 0n && record?.(transaction));
			return true;
		});
	}
}

/** Deletes an assessment with its findings. */
export async function deleteAssessment(services: DeletionServices, place: DataPlace, id: string): Promise<void> {
	await deleteRows(services, place, 'findings', 'assessment_id', id);
	await deleteRows(services, place, 'assessments', 'id', id);
}

/**
 * Deletes an environment that has ended, with its log. What it cost stays. Rejects (409) one that runs. Files of a sandbox on
 * another machine stay there.
 */
export async function deleteEnvironment(
	services: DeletionServices,
	{workspaceId}: DataPlace,
	id: string,
	record?: RecordDeletion,
): Promise<void> {
	const {database, sandboxes} = services;
	const row = await database
		.selectFrom('environments')
		.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select(['environments.state', 'environments.sandbox_id', 'sandboxes.machine'])
		.where('environments.id', '=', id)
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst();
	if (!row) {
		return;
	}

	if (!isOver(row.state)) {
		reject(409, 'This sandbox still runs. Stop it first.');
	}

	if (row.sandbox_id !== null) {
		if (row.machine === (await sandboxes.provider.machine())) {
			await sandboxes.provider.remove(row.sandbox_id);
		}

		await removeLogObjects(logStoreOf(services), row.sandbox_id);
		await database.deleteFrom('sandboxes').where('id', '=', row.sandbox_id).execute();
	}

	await database.transaction().execute(async transaction => {
		const {numDeletedRows} = await transaction
			.deleteFrom('environments')
			.where('id', '=', id)
			.where('state', 'in', [...endedStates])
			.executeTakeFirst();
		await (numDeletedRows > 0n && record?.(transaction));
	});
}

/**
 * Deletes a project with all that belongs to it. Rejects (409) one with a sandbox that still runs. Spans that name it are
 * rejected from then on.
 */
export async function deleteProject(
	services: DeletionServices,
	place: DataPlace,
	projectId: string,
	record?: RecordDeletion,
): Promise<void> {
	const {database} = services;
	const running = await database
		.selectFrom('environments')
		.select('id')
		.where('project_id', '=', projectId)
		.where('state', 'not in', [...endedStates])
		.limit(1)
		.executeTakeFirst();
	if (running) {
		reject(409, 'A sandbox of this project still runs. Stop it first.');
	}

	const idsOf = (table: 'sessions' | 'environments' | 'assessments') =>
		database.selectFrom(table).select('id').where('project_id', '=', projectId).limit(sliceRows).execute();
	const each = async (table: 'sessions' | 'environments' | 'assessments', work: (id: string) => Promise<void>) => {
		for (let ids = await idsOf(table); ids.length > 0; ids = await idsOf(table)) {
			for (const {id} of ids) {
				await work(id);
			}
		}
	};
	for (let isGone = false; !isGone; ) {
		await each('sessions', id => deleteSession(services, place, id));
		await deleteSpans(services, place, ({eb}) => eb('project_id', '=', projectId));
		await each('assessments', id => deleteAssessment(services, place, id));
		await each('environments', id => deleteEnvironment(services, place, id));
		await deleteRows(services, place, 'items', 'project_id', projectId);
		await deleteRows(services, place, 'workflow_runs', 'project_id', projectId);
		isGone = await inSlice(services, place, async transaction => {
			const late = await transaction
				.selectFrom('spans')
				.select('span_id')
				.where('project_id', '=', projectId)
				.limit(1)
				.executeTakeFirst();
			if (!late) {
				const {numDeletedRows} = await transaction
					.deleteFrom('projects')
					.where('id', '=', projectId)
					.executeTakeFirst();
				await (numDeletedRows > 0n && record?.(transaction));
			}

			return !late;
		});
	}
}
