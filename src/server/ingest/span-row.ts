import type {Insertable} from 'kysely';
import type {Tables} from '../database/tables.ts';
import type {Membership} from './context.ts';
import type {Span} from './otlp/span.ts';
import {type Claimed, typeOf} from './ownership.ts';
import type {Target} from './target.ts';

export type SpanRow = Insertable<Tables['spans']>;

/** A new span with what it belongs to. */
export type Accepted = {readonly claim: Claimed; readonly membership: Membership};

type Where = {
	readonly organizationId: string;
	readonly userId: string;
	readonly target: Target;
	readonly receivedAt: string;
};

/** Returns the rows of spans, and their total size in bytes. */
export function encodeRows(
	accepted: readonly Accepted[],
	{organizationId, userId, target, receivedAt}: Where,
): {readonly rows: readonly SpanRow[]; readonly bytes: number} {
	const encode = createEncoder();
	const rows: SpanRow[] = [];
	let bytes = 0;
	for (const {
		claim: {span},
		membership,
	} of accepted) {
		const resource = encode(span.resource);
		const attributes = JSON.stringify(span.attributes);
		const events = JSON.stringify(span.events);
		bytes += resource.bytes + sizeOf([span.name, span.statusMessage ?? '', attributes, events]);
		rows.push({
			...membership,
			organization_id: organizationId,
			workspace_id: target.workspaceId,
			project_id: target.projectId,
			user_id: userId,
			trace_id: span.traceId,
			span_id: span.spanId,
			parent_span_id: span.parentSpanId,
			name: span.name,
			type: typeOf(span),
			kind: span.kind,
			started_at_us: span.startedAt,
			ended_at_us: span.endedAt,
			status_code: span.statusCode,
			status_message: span.statusMessage,
			attributes,
			resource: resource.text,
			events,
			received_at: receivedAt,
		});
	}

	return {rows, bytes};
}

/** Returns the size of a span without its resource; ids, times and indexes are about 200 bytes. */
function sizeOf(texts: readonly string[]): number {
	return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 200);
}

/** Creates a function that encodes and measures each resource once, although it is stored with each of its spans. */
function createEncoder() {
	const encoded = new Map<Span['resource'], {readonly text: string; readonly bytes: number}>();
	return (resource: Span['resource']) => {
		const known = encoded.get(resource);
		if (known) {
			return known;
		}

		const text = JSON.stringify(resource);
		const fresh = {text, bytes: Buffer.byteLength(text)};
		encoded.set(resource, fresh);
		return fresh;
	};
}
