import * as z from 'zod/mini';
import {dateTime, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

/** A workflow run in a list. Without the id that its writes require. */
export const runSchema = z.looseObject({
	id: uuid,
	title: z.nullable(z.string()),
	status: z.enum(['pending', 'running', 'completed', 'failed']),
	project_id: uuid,
	project_key: z.string(),
	runtime_id: z.nullable(uuid),
	claimed_by: z.nullable(uuid),
	claimed_at: z.nullable(dateTime),
	created_at: dateTime,
	updated_at: dateTime,
});

export const runsSchema = pageOf(runSchema);

/** One attempt to own a run, identified by `execution_id`. */
export const claimRunSchema = z.strictObject({
	execution_id: z.optional(uuid),
	runtime_id: z.optional(uuid),
});

export const runClaimSchema = z.looseObject({
	execution_id: z.optional(z.string()).check(z.describe('Opaque. Every later write of this host must include it.')),
	run_id: z.optional(uuid),
	status: z.optional(z.string()),
});

export type RunClaim = z.input<typeof runClaimSchema>;
