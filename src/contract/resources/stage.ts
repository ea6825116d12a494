import * as z from 'zod/mini';
import {dateTime, maybe, text, uuid} from '../scalars.ts';

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
