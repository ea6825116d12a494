import type {Insertable} from 'kysely';
import {groupBy} from '../../core/group-by.ts';
import {insertRows} from '../database/insert-rows.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import {claimBytes, rejectSpans} from '../quota/stored-bytes.ts';
import {inherit, keyOf, type Linked, linkKey, membershipFields, type SpanMembership} from './context.ts';
import {chunks} from './ids.ts';
import {limits} from './otlp/budget.ts';
import type {ReceivedSpan, SpanEvent} from './otlp/span.ts';
import {type Claimed, claimedByAnother, typeOf} from './ownership.ts';
import {isForeignWrite, loadOwners, type Owner} from './run-ownership.ts';
import type {IngestTarget} from './target.ts';

/** A span that is new or has new memberships, as resources are derived from it. */
export type Touched = SpanMembership & {
	readonly span: Omit<ReceivedSpan, 'scope' | 'kind' | 'statusMessage'>;
	readonly type: string;
};

type Where = {
	readonly organizationId: string;
	/** The user who sends them. */
	readonly userId: string;
	readonly target: IngestTarget;
	readonly receivedAt: string;
	readonly storageLimit: number;
};

type Result = {
	/** The spans to derive resources from: new ones, and those that got a parent. */
	readonly touched: readonly Touched[];
	readonly rejected: readonly string[];
};

/**
 * Stores new spans. Rejects those that inherit a run which another execution has claimed, as if they named it. Rejects
 * the request (400) if it would store too many bytes.
 */
export async function storeSpans(
	transaction: DatabaseTransaction,
	where: Where,
	claimed: readonly Claimed[],
): Promise<Result> {
	const {organizationId, userId, target, storageLimit} = where;
	const stored = await loadTraces(transaction, organizationId, claimed);
	const fresh = freshSpans(stored, claimed);
	if (fresh.size === 0) {
		return {touched: [], rejected: []};
	}

	const links = [...fresh.values()].map(claim => linkOf(claim, userId));
	// Spans inherit nothing across workspaces.
	const workspaceSpans = [...stored.values()].filter(({workspace_id}) => workspace_id === target.workspaceId);
	const memberships = inherit([...workspaceSpans, ...links]);
	const runs = [...fresh.keys()].flatMap(key => memberships.get(key)?.workflow_run_id ?? []);
	const owners = await loadOwners(transaction, target.workspaceId, [...new Set(runs)]);
	const {accepted, rejected} = splitByOwner(fresh, memberships, {owners, userId});
	const {rows, bytes} = encodeRows(accepted, where);
	if (bytes > limits.stored) {
		reject(400, `A request may hold ${limits.stored} bytes, with its resource for each span. Send smaller batches.`);
	}

	await claimBytes(transaction, {organizationId, bytes, limit: storageLimit, refuse: rejectSpans});
	await insertRows(transaction, 'spans', rows, 'on conflict do nothing');
	// Spans that were stored before inherit nothing from a rejected parent.
	const kept = links.filter(link => !rejected.has(linkKey(link.trace_id, link.span_id)));
	const inherited = rejected.size > 0 ? inherit([...workspaceSpans, ...kept]) : memberships;
	const relinked = await relink(transaction, organizationId, changesOf(workspaceSpans, inherited));
	return {
		touched: [
			...accepted.map(({claim: {span}, membership}) => ({span, type: typeOf(span), ...membership})),
			...relinked,
		],
		rejected: [...rejected].map(() => claimedByAnother),
	};
}

/** Returns the spans that are not stored yet, without duplicates, by key. */
function freshSpans(stored: ReadonlyMap<string, Stored>, claimed: readonly Claimed[]): ReadonlyMap<string, Claimed> {
	const fresh = new Map<string, Claimed>();
	for (const claim of claimed) {
		const key = keyOf(claim.span);
		if (!stored.has(key) && !fresh.has(key)) {
			fresh.set(key, claim);
		}
	}

	return fresh;
}

function linkOf({span, own}: Claimed, userId: string): Linked {
	return {trace_id: span.traceId, span_id: span.spanId, parent_span_id: span.parentSpanId, user_id: userId, ...own};
}

type Writers = {readonly owners: ReadonlyMap<string, Owner>; readonly userId: string};

/** Splits new spans into those that may write to the run they inherit, and the keys of the others. */
function splitByOwner(
	fresh: ReadonlyMap<string, Claimed>,
	memberships: ReadonlyMap<string, SpanMembership>,
	{owners, userId}: Writers,
): {readonly accepted: readonly Accepted[]; readonly rejected: ReadonlySet<string>} {
	const accepted: Accepted[] = [];
	const rejected = new Set<string>();
	for (const [key, claim] of fresh) {
		const membership = memberships.get(key) ?? claim.own;
		if (isForeignWrite(owners.get(membership.workflow_run_id ?? ''), {executionId: claim.execution, userId})) {
			rejected.add(key);
		} else {
			accepted.push({claim, membership});
		}
	}

	return {accepted, rejected};
}

/** Returns the stored spans whose memberships changed because of new spans. */
function changesOf(stored: readonly Linked[], inherited: ReadonlyMap<string, SpanMembership>): readonly Changed[] {
	return stored.flatMap(link => {
		const membership = inherited.get(linkKey(link.trace_id, link.span_id)) ?? link;
		return membershipFields.some(name => link[name] !== membership[name]) ? [{link, membership}] : [];
	});
}

type Stored = Linked & {readonly workspace_id: string};

/** Returns all stored spans of the traces with their memberships. */
async function loadTraces(
	transaction: DatabaseTransaction,
	organizationId: string,
	claimed: readonly Claimed[],
): Promise<ReadonlyMap<string, Stored>> {
	const traces = [...new Set(claimed.map(({span}) => span.traceId))];
	const links: Stored[] = [];
	for (const some of chunks(traces)) {
		const rows = await transaction
			.selectFrom('spans')
			.select(['workspace_id', 'trace_id', 'span_id', 'parent_span_id', 'user_id', ...membershipFields])
			.where('organization_id', '=', organizationId)
			.where('trace_id', 'in', some)
			.execute();
		links.push(...rows);
	}

	return new Map(links.map(link => [linkKey(link.trace_id, link.span_id), link]));
}

type Changed = {readonly link: Linked; readonly membership: SpanMembership};

/** Updates the memberships of stored spans whose parents have arrived. */
async function relink(
	transaction: DatabaseTransaction,
	organizationId: string,
	changed: readonly Changed[],
): Promise<readonly Touched[]> {
	// Spans below one parent mostly have the same memberships, so one statement updates them all.
	const groups = groupBy(changed, ({link, membership}) =>
		JSON.stringify([link.trace_id, ...membershipFields.map(name => membership[name])]),
	);

	const touched: Touched[] = [];
	for (const some of [...groups.values()].flatMap(group => chunks(group))) {
		const [{link, membership} = {}] = some;
		const values =
			membership && (Object.fromEntries(membershipFields.map(name => [name, membership[name]])) as SpanMembership);
		if (link && values) {
			const rows = await transaction
				.updateTable('spans')
				.set(values)
				.where('organization_id', '=', organizationId)
				.where('trace_id', '=', link.trace_id)
				.where(
					'span_id',
					'in',
					some.map(each => each.link.span_id),
				)
				.returningAll()
				.execute();
			touched.push(...rows.map(row => ({...values, type: row.type, span: toSpan(row)})));
		}
	}

	return touched;
}

type Row = Pick<
	Tables['spans'],
	| 'trace_id'
	| 'span_id'
	| 'parent_span_id'
	| 'name'
	| 'started_at_us'
	| 'ended_at_us'
	| 'status_code'
	| 'attributes'
	| 'resource'
	| 'events'
>;

/** Returns a stored span in the form in which it was received. */
export function toSpan(row: Row): Touched['span'] {
	return {
		traceId: row.trace_id,
		spanId: row.span_id,
		parentSpanId: row.parent_span_id,
		name: row.name,
		startedAt: row.started_at_us,
		endedAt: row.ended_at_us,
		statusCode: row.status_code,
		attributes: JSON.parse(row.attributes),
		resource: JSON.parse(row.resource),
		events: JSON.parse(row.events) as readonly SpanEvent[],
	};
}

/** Converts microseconds since 1970 to a time as in the tables and the API. */
export const toTime = (microseconds: number) => new Date(microseconds / 1000).toISOString();

type SpanRow = Insertable<Tables['spans']>;

/** A new span with what it belongs to. */
type Accepted = {readonly claim: Claimed; readonly membership: SpanMembership};

/** Returns the rows of spans, and their total size in bytes. */
function encodeRows(
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
		// Spread last: V8 adds each field behind a spread to a dictionary, which took a sixth of a push.
		rows.push({
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
			...membership,
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
	const encoded = new Map<ReceivedSpan['resource'], {readonly text: string; readonly bytes: number}>();
	return (resource: ReceivedSpan['resource']) => {
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
