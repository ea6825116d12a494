import * as z from 'zod/mini';
import {dateTime, defaultsTo, fields, maybe, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

/** `SessionUsageResponse`, derived at read time; zeros without usage. Same fields as `SessionUsage` of core. */
export const sessionUsageSchema = z.looseObject({
	...fields(
		[
			'compaction_count',
			'current_cache_creation_input_tokens',
			'current_cache_read_input_tokens',
			'current_input_tokens',
			'current_output_tokens',
			'current_tool_call_count',
			'total_cache_creation_input_tokens',
			'total_cache_read_input_tokens',
			'total_input_tokens',
			'total_output_tokens',
			'total_tool_call_count',
		],
		z.int(),
	),
	...fields(['current_cost_usd', 'total_cost_usd'], z.nullable(z.number())),
	current_message_count: z.int().check(z.describe('Messages that are not compacted.')),
	total_message_count: z.int().check(z.describe('All messages, including compacted ones.')),
	last_generation_input_tokens: z.nullable(z.int()).check(z.describe('Null before the first inference.')),
});

export const sessionCreatorSchema = z.looseObject({
	email: z.string(),
	full_name: maybe(z.string()),
	id: uuid,
	username: z.string(),
});

/** `SessionResponse`. */
export const sessionSchema = z.looseObject({
	id: uuid,
	agent: z.nullable(z.string()),
	archived_at: z.nullable(dateTime),
	created_at: dateTime,
	created_by: maybe(sessionCreatorSchema),
	frozen_at: z.nullable(dateTime),
	frozen_by: z.nullable(z.enum(['evaluation', 'user'])),
	labels: z.optional(z.record(z.string(), z.array(z.string()))),
	last_message_at: z.nullable(dateTime),
	message_count: z.int(),
	model: z.string(),
	origin: defaultsTo(z.enum(['user', 'eval', 'worker']), 'user').check(
		z.describe('Interactive, evaluation worker or capability worker.'),
	),
	preview_text: maybe(z.string()),
	project_id: z.nullable(uuid),
	project_name: z.nullable(z.string()),
	runtime_id: z.nullable(uuid),
	title: z.nullable(z.string()),
	updated_at: dateTime,
	usage: sessionUsageSchema,
	user_id: uuid,
	visibility: z.enum(['private', 'workspace']),
	workspace_id: uuid,
});

const {usage: _, ...entryFields} = sessionSchema.shape;

/** A session in a list, without its usage. */
export const sessionEntrySchema = z.looseObject(entryFields);

export const sessionsSchema = pageOf(sessionEntrySchema);

export type SessionEntry = z.input<typeof sessionEntrySchema>;
export type Session = z.input<typeof sessionSchema>;
