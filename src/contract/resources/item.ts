import * as z from 'zod/mini';
import {anyObject, dateTime, defaultsTo, maybe, text, uuid} from '../scalars.ts';

export const runItemsQuerySchema = z.strictObject({
	project_id: uuid,
	item_type: z.optional(z.string()).check(z.describe('Only items of this type, such as `findings`.')),
	limit: defaultsTo(z.int().check(z.gte(1), z.lte(1000)), 200),
});

/** `WorkflowRunItemResponse`: output that an agent recorded, in the shape that its type declares. */
export const runItemSchema = z.looseObject({
	created_at: dateTime,
	data: anyObject,
	id: uuid,
	item_type: z.string(),
	ref: z.nullable(z.string()),
	run_title: maybe(z.string()),
	session_id: z.nullable(uuid),
	workflow_run_id: maybe(uuid),
	workflow_unit: maybe(z.string()),
});

/** The JSON Schema of one item type. An item refers to it by `schema_ref`, or else by `item_type`. */
export const itemSchemaEntrySchema = z.looseObject({
	capability: z.nullable(z.string()),
	capability_version: z.nullable(z.string()),
	item_type: z.string(),
	json_schema: anyObject,
	schema_ref: z.nullable(z.string()),
});

export const itemSchemasSchema = z.looseObject({
	schemas: z.array(itemSchemaEntrySchema).check(z.describe('Types without a schema are omitted.')),
});

export type RunItem = z.input<typeof runItemSchema>;
export type ItemSchemaEntry = z.input<typeof itemSchemaEntrySchema>;

const provenance = {
	capability_name: text(1, 255),
	capability_version: text(1, 100),
	current_task_id: maybe(text(1, 128)),
	platform_session_id: uuid,
	root_run_id: text(1, 128),
	runtime_id: maybe(uuid),
	span_id: maybe(text(1, 16)),
	trace_id: maybe(text(1, 32)),
};

export const stageCreateSchema = z.strictObject({
	action_id: uuid,
	/** Who staged the item, and in which run. */
	provenance: z.strictObject(provenance),
});

/** `StageResponse`: the submission stage of an item. */
export const stageSchema = z.looseObject({
	action_id: uuid,
	connection_id: uuid,
	created_at: dateTime,
	id: uuid,
	item_id: uuid,
	organization_id: uuid,
	project_id: uuid,
	provenance: z.looseObject(provenance),
	status: z.enum(['staged', 'submitted', 'dismissed']),
	submission_id: z.nullable(uuid),
	updated_at: dateTime,
});

export type Stage = z.input<typeof stageSchema>;
