import * as z from 'zod/mini';
import {uuid} from '../scalars.ts';

/** One attempt to own a run: the same `execution_id` again is the same attempt. */
export const claimRunSchema = z.strictObject({
	execution_id: z.optional(uuid),
	runtime_id: z.optional(uuid),
});

export const runClaimSchema = z.looseObject({
	execution_id: z.optional(z.string()).check(z.describe('Opaque; fences every later write of this host.')),
	run_id: z.optional(uuid),
	status: z.optional(z.string()),
});

export type RunClaim = z.input<typeof runClaimSchema>;
