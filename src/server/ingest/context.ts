/** What a span belongs to. Descendants inherit what they don't name themselves. */
export type SpanMembership = {
	readonly session_id: string | null;
	readonly evaluation_id: string | null;
	readonly evaluation_item_id: string | null;
	readonly assessment_id: string | null;
	/** The span of the attack. */
	readonly attack_span_id: string | null;
	readonly workflow_run_id: string | null;
};

export const membershipFields = [
	'session_id',
	'evaluation_id',
	'evaluation_item_id',
	'assessment_id',
	'attack_span_id',
	'workflow_run_id',
] as const satisfies readonly (keyof SpanMembership)[];

/** A span of a trace, stored or about to be stored. */
export type Linked = SpanMembership & {
	readonly trace_id: string;
	readonly span_id: string;
	readonly parent_span_id: string | null;
	/** The user who sent it. */
	readonly user_id: string;
};

export const linkKey = (traceId: string, spanId: string) => `${traceId}/${spanId}`;

export const keyOf = ({traceId, spanId}: {readonly traceId: string; readonly spanId: string}) =>
	linkKey(traceId, spanId);

/**
 * Returns what each span belongs to: what it names itself, else what its nearest known ancestor does. A span keeps what
 * it has, and a parent that arrives later only adds what is missing, so the order of arrival doesn't matter. Sessions
 * and runs are inherited only among spans of the same user: span ids are not secret, so knowing one must neither open
 * another user's private session nor pull their spans into one's own.
 */
export function inherit(spans: readonly Linked[]): ReadonlyMap<string, SpanMembership> {
	const byKey = new Map(spans.map(span => [linkKey(span.trace_id, span.span_id), span]));
	const settled = new Map<string, SpanMembership>();
	for (const span of spans) {
		// Walks up to the first settled span in a loop, because a trace may be too deep for recursion.
		const path: Linked[] = [];
		const onPath = new Set<string>();
		let next: Linked | undefined = span;
		while (next) {
			const key = linkKey(next.trace_id, next.span_id);
			if (settled.has(key) || onPath.has(key)) {
				break;
			}

			path.push(next);
			onPath.add(key);
			next = next.parent_span_id === null ? undefined : byKey.get(linkKey(next.trace_id, next.parent_span_id));
		}

		const top = next && settled.get(linkKey(next.trace_id, next.span_id));
		let above: Inherited | undefined = next && {user_id: next.user_id, ...(top ?? next)};
		for (const each of path.reverse()) {
			const membership = merge(each, above);
			settled.set(linkKey(each.trace_id, each.span_id), membership);
			above = {user_id: each.user_id, ...membership};
		}
	}

	return settled;
}

/** What descendants of the same user, and of others, find above them. */
type Inherited = SpanMembership & Pick<Linked, 'user_id'>;

function merge(own: Linked, above: Inherited | undefined): SpanMembership {
	const ofSame = own.user_id === above?.user_id ? above : undefined;
	return {
		session_id: own.session_id ?? ofSame?.session_id ?? null,
		evaluation_id: own.evaluation_id ?? above?.evaluation_id ?? null,
		evaluation_item_id: own.evaluation_item_id ?? above?.evaluation_item_id ?? null,
		assessment_id: own.assessment_id ?? above?.assessment_id ?? null,
		attack_span_id: own.attack_span_id ?? above?.attack_span_id ?? null,
		workflow_run_id: own.workflow_run_id ?? ofSame?.workflow_run_id ?? null,
	};
}
