import type {Insertable} from 'kysely';
import * as z from 'zod/mini';
import {derivedId} from '../../core/derived-id.ts';
import {groupBy} from '../../core/group-by.ts';
import {maxOidLength} from '../artifacts/object-name.ts';
import type {Database, DatabaseTransaction, Tables} from '../database/tables.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import {deriveAirt} from './airt.ts';
import {chunks, IdTaken, ownIds} from './ids.ts';
import {type ItemRecord, itemNamesOf, recordsOf} from './item-records.ts';
import type {ReceivedSpan} from './otlp/span.ts';
import {readMemberships} from './ownership.ts';
import {jsonAt, maxTitleLength, nameAt, objectAt, textAt, wordAt} from './read-attributes.ts';
import {deriveSessions, type SpanSender} from './sessions.ts';
import {storeSpans, type Touched, toTime} from './store-spans.ts';
import {groupByTarget, lockWorkspaces} from './target.ts';

const maxAttempts = 5;

type Sender = {
	readonly organizationId: string;
	readonly userId: string;
	readonly now: Date;
	/** Maximum bytes that the organization may store. */
	readonly storageLimit: number;
};

/**
 * Stores spans and everything derived from them in one transaction. Sending a span again changes nothing, and spans may
 * arrive in any order and in several requests. Returns a message for each rejected span. Rejects the request (429) if
 * the organization's storage is full.
 */
export async function ingest(
	database: Database,
	sender: Sender,
	spans: readonly ReceivedSpan[],
): Promise<readonly string[]> {
	for (let attempts = 1; ; attempts += 1) {
		try {
			return await attempt(database, sender, spans);
		} catch (error) {
			// Two workspaces took one UUID at the same time: the retry sees that it is taken. After a deadlock, the
			// aborted transaction may collide once more.
			if (!isCollision(error) || attempts === maxAttempts) {
				throw error;
			}
		}
	}
}

/**
 * Returns whether PostgreSQL reported a uniqueness violation or a deadlock. With SQLite only one transaction writes at
 * a time.
 */
function isCollision(error: unknown): boolean {
	return (
		error instanceof IdTaken ||
		(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '40P01'))
	);
}

function attempt(
	database: Database,
	{organizationId, userId, now, storageLimit}: Sender,
	spans: readonly ReceivedSpan[],
): Promise<readonly string[]> {
	// Spans wait for each other alone, not for decisions about sandboxes.
	return organizationTransaction(database, `spans ${organizationId}`, async transaction => {
		const {targets, rejected} = await groupByTarget(transaction, organizationId, spans);
		await lockWorkspaces(
			transaction,
			[...targets.keys()].map(({workspaceId}) => workspaceId),
		);
		const refused = [...rejected];
		for (const [target, spansOfTarget] of targets) {
			const origin = {organizationId, userId, ...target};
			const {claimed, rejected: foreign} = await readMemberships(transaction, target, userId, spansOfTarget);
			refused.push(...foreign);
			const where = {organizationId, userId, target, receivedAt: now.toISOString(), storageLimit};
			const {touched, rejected: late} = await storeSpans(transaction, where, claimed);
			refused.push(...late);
			await deriveSessions(transaction, origin, touched);
			await deriveAirt(transaction, origin, touched);
			await deriveRuns(transaction, origin, touched);
			await deriveItems(transaction, origin, touched);
			await deriveArtifacts(transaction, origin, touched);
		}

		return refused;
	});
}

const referenceSchema = z.object({
	oid: z.string().check(z.minLength(1), z.maxLength(maxOidLength)),
	filename: z.optional(z.nullable(z.string())),
	mime_type: z.optional(z.nullable(z.string())),
	size_bytes: z.optional(z.nullable(z.int().check(z.gte(0)))),
});

/** Stores which artifacts spans refer to; only those can be resolved. The caller must have locked the workspace. */
async function deriveArtifacts(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId}: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	const artifacts = new Map<string, Insertable<Tables['artifacts']>>();
	for (const {span} of touched) {
		const list = jsonAt(span.attributes, 'dreadnode.artifacts');
		for (const given of Array.isArray(list) ? list : []) {
			const {data} = z.safeParse(referenceSchema, given);
			if (data) {
				artifacts.set(JSON.stringify([span.traceId, data.oid]), {
					organization_id: organizationId,
					workspace_id: workspaceId,
					trace_id: span.traceId,
					oid: data.oid,
					filename: data.filename ?? null,
					mime_type: data.mime_type ?? null,
					size_bytes: data.size_bytes ?? null,
				});
			}
		}
	}

	for (const some of chunks([...artifacts.values()], 200)) {
		await transaction
			.insertInto('artifacts')
			.values(some)
			.onConflict(conflict => conflict.doNothing())
			.execute();
	}
}

/** States of a run in order; a run never goes back. */
const states = ['pending', 'running', 'completed', 'failed'] as const;

/** Writes the workflow runs that spans belong to. The caller must have locked the workspace. */
async function deriveRuns(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId, projectId}: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	for (const [id, spans] of groupBy(touched, each => each.workflow_run_id)) {
		const row = await transaction
			.selectFrom('workflow_runs')
			.selectAll()
			.where('id', '=', id)
			.where('workspace_id', '=', workspaceId)
			.executeTakeFirst();
		const [started = ''] = spans.map(({span}) => toTime(span.startedAt)).sort();
		const ended = spans
			.map(({span}) => toTime(span.endedAt))
			.sort()
			.at(-1);
		const titles = spans.flatMap(
			({span}) => textAt(span.attributes, 'service.workflow.run.title')?.slice(0, maxTitleLength) ?? [],
		);
		const reached = spans.map(stateOf).concat(row?.status ?? 'pending');
		const values = {
			title: [...titles, ...(row?.title ? [row.title] : [])].sort().at(-1) ?? null,
			status: states.findLast(state => reached.includes(state)) ?? 'pending',
			created_at: [started, row?.created_at ?? started].sort()[0] ?? started,
			updated_at: [ended ?? started, row?.updated_at ?? started].sort()[1] ?? started,
		};
		if (row) {
			await transaction.updateTable('workflow_runs').set(values).where('id', '=', id).execute();
		} else {
			await transaction
				.insertInto('workflow_runs')
				.values({
					id,
					organization_id: organizationId,
					workspace_id: workspaceId,
					project_id: projectId,
					execution_id: null,
					runtime_id: null,
					claimed_by: null,
					claimed_at: null,
					...values,
				})
				.execute();
		}
	}
}

/**
 * Returns the state of the run according to a span: the one it names, else `running`. The run's own span shows how it
 * ended.
 */
function stateOf({span, type}: Touched): (typeof states)[number] {
	const named = wordAt(span.attributes, 'service.workflow.run.status', states);
	if (named !== undefined || type !== 'workflow_run') {
		return named ?? 'running';
	}

	return span.statusCode === 2 ? 'failed' : 'completed';
}

type Item = Insertable<Tables['items']>;
type ItemSchema = Insertable<Tables['item_schemas']>;

/** Writes the items that spans record and the schemas that they declare. The caller must have locked the workspace. */
async function deriveItems(
	transaction: DatabaseTransaction,
	origin: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	const names = touched.flatMap(({span}) => itemNamesOf(span));
	const ids = await ownIds(transaction, 'items', origin.workspaceId, names);
	const items = new Map<string, Item>();
	const schemas = new Map<string, ItemSchema>();
	for (const each of touched) {
		for (const record of recordsOf(each.span)) {
			const item = itemOf(origin, each, record, ids);
			const other = item && items.get(item.id);
			if (item && (!other || item.created_at >= other.created_at)) {
				items.set(item.id, item);
			}

			const schema = schemaOf(origin, record);
			const known = schema && schemas.get(JSON.stringify([schema.item_type, schema.schema_ref]));
			if (schema && (!known || schema.created_at >= known.created_at)) {
				schemas.set(JSON.stringify([schema.item_type, schema.schema_ref]), schema);
			}
		}
	}

	await writeItems(transaction, origin.workspaceId, [...items.values()]);
	await writeSchemas(transaction, [...schemas.values()]);
}

function itemOf(
	origin: SpanSender,
	touched: Touched,
	{attributes, at, index}: ItemRecord,
	ids: ReadonlyMap<string, string>,
): Item | undefined {
	const data = objectAt(attributes, 'service.item.data');
	if (!data) {
		return undefined;
	}

	const {traceId, spanId} = touched.span;
	return {
		id:
			ids.get(nameAt(attributes, 'service.item.id') ?? '') ??
			derivedId('items', origin.workspaceId, traceId, spanId, String(index)),
		organization_id: origin.organizationId,
		workspace_id: origin.workspaceId,
		project_id: origin.projectId,
		session_id: touched.session_id,
		workflow_run_id: touched.workflow_run_id,
		workflow_unit: textAt(attributes, 'service.workflow.unit') ?? null,
		item_type: nameAt(attributes, 'service.item.type') ?? '',
		schema_ref: nameAt(attributes, 'service.item.schema_ref') ?? null,
		ref: textAt(attributes, 'service.item.ref') ?? null,
		data: JSON.stringify(data),
		created_at: toTime(at),
	};
}

function schemaOf({projectId}: SpanSender, {attributes, at}: ItemRecord): ItemSchema | undefined {
	const schema = objectAt(attributes, 'service.item.json_schema');
	return (
		schema && {
			project_id: projectId,
			item_type: nameAt(attributes, 'service.item.type') ?? '',
			schema_ref: nameAt(attributes, 'service.item.schema_ref') ?? '',
			capability: textAt(attributes, 'service.capability.name') ?? null,
			capability_version: textAt(attributes, 'service.capability.version') ?? null,
			json_schema: JSON.stringify(schema),
			created_at: toTime(at),
		}
	);
}

async function writeItems(
	transaction: DatabaseTransaction,
	workspaceId: string,
	items: readonly Item[],
): Promise<void> {
	for (const some of chunks(items, 200)) {
		await transaction
			.insertInto('items')
			.values(some)
			.onConflict(conflict =>
				conflict
					.column('id')
					.doUpdateSet(({ref}) => ({
						session_id: ref('excluded.session_id'),
						workflow_run_id: ref('excluded.workflow_run_id'),
						workflow_unit: ref('excluded.workflow_unit'),
						item_type: ref('excluded.item_type'),
						schema_ref: ref('excluded.schema_ref'),
						ref: ref('excluded.ref'),
						data: ref('excluded.data'),
						created_at: ref('excluded.created_at'),
					}))
					.whereRef('items.workspace_id', '=', 'excluded.workspace_id')
					.whereRef('items.created_at', '<=', 'excluded.created_at'),
			)
			.execute();
		const ids = some.map(({id}) => id);
		const taken = await transaction
			.selectFrom('items')
			.select('id')
			.where('id', 'in', ids)
			.where('workspace_id', '!=', workspaceId)
			.executeTakeFirst();
		if (taken) {
			throw new IdTaken();
		}
	}
}

async function writeSchemas(transaction: DatabaseTransaction, schemas: readonly ItemSchema[]): Promise<void> {
	for (const some of chunks(schemas, 200)) {
		await transaction
			.insertInto('item_schemas')
			.values(some)
			.onConflict(conflict =>
				conflict
					.columns(['project_id', 'item_type', 'schema_ref'])
					.doUpdateSet(({ref}) => ({
						capability: ref('excluded.capability'),
						capability_version: ref('excluded.capability_version'),
						json_schema: ref('excluded.json_schema'),
						created_at: ref('excluded.created_at'),
					}))
					.whereRef('item_schemas.created_at', '<=', 'excluded.created_at'),
			)
			.execute();
	}
}
