import * as z from 'zod/mini';
import {dateTime} from '../scalars.ts';

export const artifactQuerySchema = z.strictObject({
	download: z._default(z.boolean(), false).check(z.describe('Whether a browser saves the file instead of showing it.')),
});

/** The resolved reference to a trace artifact. The specification doesn't say which fields are required, so none is. */
export const artifactSchema = z.looseObject({
	expires_at: z.optional(dateTime),
	filename: z.optional(z.string()),
	mime_type: z.optional(z.string()),
	oid: z.optional(z.string()),
	size_bytes: z.optional(z.int()),
	url: z.optional(z.string().check(z.describe('Presigned.'))),
});

export type Artifact = z.input<typeof artifactSchema>;
