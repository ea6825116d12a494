import * as z from 'zod/mini';
import {uuidPrefix} from '../parameters.ts';
import {defaultsTo, maybe} from '../scalars.ts';

/** Which spans to export: those of a session, those of a project, or all of the workspace's. */
export const spansQuerySchema = z.strictObject({
	project: maybe(z.string()).check(z.describe('Slug or UUID of a project; only its spans.')),
	session: maybe(z.string().check(z.regex(uuidPrefix))).check(
		z.describe('UUID of a session, or a unique beginning of it; only its spans.'),
	),
	after: maybe(z.string().check(z.maxLength(1000))).check(
		z.describe('`next` of the previous page; without it, the first page.'),
	),
	limit: defaultsTo(z.int().check(z.gte(1), z.lte(1000)), 500),
});

/** A span as it was stored, for export. */
const spanSchema = z.looseObject({
	trace_id: z.string(),
	span_id: z.string(),
	parent_span_id: z.nullable(z.string()),
	name: z.string(),
	type: z.string(),
	kind: z.int(),
	started_at_us: z.int(),
	ended_at_us: z.int(),
	status_code: z.int(),
	status_message: z.nullable(z.string()),
	session_id: z.nullable(z.string()),
	project_id: z.string(),
	attributes: z.record(z.string(), z.unknown()),
	resource: z.record(z.string(), z.unknown()),
	events: z.array(z.unknown()),
});

/** One page of spans in the order in which they arrived. `next` asks for the page after it; null after the last one. */
export const spansSchema = z.looseObject({items: z.array(spanSchema), next: z.nullable(z.string())});
