import * as z from 'zod/mini';
import {uuid} from '../scalars.ts';

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
