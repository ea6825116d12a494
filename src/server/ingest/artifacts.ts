import type {Insertable} from 'kysely';
import * as z from 'zod/mini';
import {maxOidLength} from '../artifacts/object-name.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {chunks} from './ids.ts';
import {jsonAt} from './read-attributes.ts';
import type {SpanSender} from './sessions.ts';
import type {Touched} from './store-spans.ts';

const referenceSchema = z.object({
	oid: z.string().check(z.minLength(1), z.maxLength(maxOidLength)),
	filename: z.optional(z.nullable(z.string())),
	mime_type: z.optional(z.nullable(z.string())),
	size_bytes: z.optional(z.nullable(z.int().check(z.gte(0)))),
});

/** Stores which artifacts spans refer to; only those can be resolved. The caller must have locked the workspace. */
export async function deriveArtifacts(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId}: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	const artifacts = new Map<string, Insertable<Tables['artifacts']>>();
	for (const {span} of touched) {
		const list = jsonAt(span.attributes, 'dreadnode.artifacts');
		for (const given of Array.isArray(list) ? list : []) {
			const {data} = z.safeParse(referenceSchema, given);
			if (data) {
				artifacts.set(JSON.stringify([span.traceId, data.oid]), {
					organization_id: organizationId,
					workspace_id: workspaceId,
					trace_id: span.traceId,
					oid: data.oid,
					filename: data.filename ?? null,
					mime_type: data.mime_type ?? null,
					size_bytes: data.size_bytes ?? null,
				});
			}
		}
	}

	for (const some of chunks([...artifacts.values()], 200)) {
		await transaction
			.insertInto('artifacts')
			.values(some)
			.onConflict(conflict => conflict.doNothing())
			.execute();
	}
}
