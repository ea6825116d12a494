import * as z from 'zod/mini';
import {defaultsTo, fields, maybe} from '../scalars.ts';

/** `MediaSource`: a reference to bytes, which are never inlined. Only `artifact` may be fetched (SAFETY 16). */
export const mediaSourceSchema = z.looseObject({
	ref: defaultsTo(z.enum(['artifact', 'url', 'file_id']), 'artifact').check(
		z.describe(
			'Only `artifact` is resolved, to a presigned URL. The others are informational and must not be fetched.',
		),
	),
	...fields(['artifact_oid', 'detail', 'file_id', 'filename', 'media_type', 'url'], maybe(z.string())),
	byte_size: maybe(z.int()),
});

/** `MessagePart`: one part of a multimodal message, in order. */
export const messagePartSchema = z.looseObject({
	kind: z.string(),
	...fields(['caption', 'text', 'transform', 'variant'], maybe(z.string())),
	source: maybe(mediaSourceSchema),
});

export const messageParts = maybe(z.array(messagePartSchema));

/** Scores of modalities, by name. */
export const modalityScores = maybe(z.record(z.string(), z.number()));

export type MessagePart = z.input<typeof messagePartSchema>;
