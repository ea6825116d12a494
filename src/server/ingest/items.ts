import type {Insertable} from 'kysely';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {chunks, derivedId, IdTaken, ownIds} from './ids.ts';
import {type ItemRecord, itemNamesOf, recordsOf} from './item-records.ts';
import {nameAt, objectAt, textAt} from './read-attributes.ts';
import type {SpanSender} from './sessions.ts';
import {type Touched, toTime} from './store-spans.ts';

type Item = Insertable<Tables['items']>;
type ItemSchema = Insertable<Tables['item_schemas']>;

/** Writes the items that spans record and the schemas that they declare. The caller must have locked the workspace. */
export async function deriveItems(
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
