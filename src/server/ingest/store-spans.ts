import type {Insertable} from 'kysely';
import {groupBy} from '../../core/group-by.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {refuse} from '../kit/refusal.ts';
import {claimBytes} from '../quota/stored-bytes.ts';
import {type Belongings, belongingNames, inherit, keyOf, type Linked, linkKey} from './context.ts';
import {chunks} from './ids.ts';
import {limits} from './otlp/budget.ts';
import type {Span, SpanEvent} from './otlp/span.ts';
import {type Claimed, fencedOff, typeOf} from './ownership.ts';
import type {Place} from './place.ts';
import {isFencedOff, loadOwners} from './run-ownership.ts';

/** A span that is new, or that belongs to more than before, with what it is to be derived from. */
export type Touched = Belongings & {
	readonly span: Omit<Span, 'scope' | 'kind' | 'statusMessage'>;
	readonly type: string;
};

type Where = {
	readonly organizationId: string;
	/** Who sends them. */
	readonly userId: string;
	readonly place: Place;
	readonly receivedAt: string;
	readonly storageLimit: number;
};

type Result = {
	/** What something derives from: the new spans, and those that they gave a parent. */
	readonly touched: readonly Touched[];
	readonly rejected: readonly string[];
};

/**
 * Stores spans that are not there yet. Those of an execution that lost the run which they would inherit are rejected, as
 * those are that name it.
 */
export async function storeSpans(
	transaction: DatabaseTransaction,
	{organizationId, userId, place, receivedAt, storageLimit}: Where,
	claimed: readonly Claimed[],
): Promise<Result> {
	const stored = await loadTraces(transaction, organizationId, claimed);
	const fresh = new Map<string, Claimed>();
	for (const each of claimed) {
		const key = keyOf(each.span);
		if (!stored.has(key) && !fresh.has(key)) {
			fresh.set(key, each);
		}
	}

	if (fresh.size === 0) {
		return {touched: [], rejected: []};
	}

	const links = [...fresh.values()].map(({span, own}) => ({
		...own,
		trace_id: span.traceId,
		span_id: span.spanId,
		parent_span_id: span.parentSpanId,
		user_id: userId,
	}));
	// Nothing passes from one workspace to another.
	const here = [...stored.values()].filter(({workspace_id}) => workspace_id === place.workspaceId);
	const belongings = inherit([...here, ...links]);
	const runs = [...fresh.keys()].flatMap(key => belongings.get(key)?.workflow_run_id ?? []);
	const owners = await loadOwners(transaction, place.workspaceId, [...new Set(runs)]);
	const rejected = new Set<string>();
	const touched: Touched[] = [];
	const rows: Insertable<Tables['spans']>[] = [];
	const encode = encoder();
	let bytes = 0;

	for (const [key, {span, own, execution}] of fresh) {
		const its = belongings.get(key) ?? own;
		if (isFencedOff(owners.get(its.workflow_run_id ?? ''), {executionId: execution, userId})) {
			rejected.add(key);
			continue;
		}

		touched.push({...its, span, type: typeOf(span)});
		const resource = encode(span.resource);
		const attributes = JSON.stringify(span.attributes);
		const events = JSON.stringify(span.events);
		bytes += resource.bytes + sizeOf([span.name, span.statusMessage ?? '', attributes, events]);
		rows.push({
			...its,
			organization_id: organizationId,
			workspace_id: place.workspaceId,
			project_id: place.projectId,
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

	if (bytes > limits.stored) {
		refuse(400, `A request may hold ${limits.stored} bytes, with its resource for each span. Send smaller batches.`);
	}

	await claimBytes(transaction, {organizationId, bytes, limit: storageLimit});
	for (const some of chunks(rows, 200)) {
		await transaction
			.insertInto('spans')
			.values(some)
			.onConflict(conflict => conflict.doNothing())
			.execute();
	}

	// A span that was rejected passes nothing on to those below it that were stored before.
	const kept = links.filter(link => !rejected.has(linkKey(link.trace_id, link.span_id)));
	const passedOn = rejected.size > 0 ? inherit([...here, ...kept]) : belongings;
	const changed = here.flatMap(link => {
		const its = passedOn.get(linkKey(link.trace_id, link.span_id)) ?? link;
		return belongingNames.some(name => link[name] !== its[name]) ? [{link, its}] : [];
	});
	return {
		touched: [...touched, ...(await relink(transaction, organizationId, changed))],
		rejected: [...rejected].map(() => fencedOff),
	};
}

/** Bytes of what a span brings beside its resource: ids, times and indexes are about 200. */
function sizeOf(texts: readonly string[]): number {
	return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 200);
}

/** A resource as it is stored with each of its spans, written and measured once. */
function encoder() {
	const encoded = new Map<Span['resource'], {readonly text: string; readonly bytes: number}>();
	return (resource: Span['resource']) => {
		const known = encoded.get(resource);
		if (known) {
			return known;
		}

		const text = JSON.stringify(resource);
		const made = {text, bytes: Buffer.byteLength(text)};
		encoded.set(resource, made);
		return made;
	};
}

type Stored = Linked & {readonly workspace_id: string};

/** All spans of the traces, in brief. */
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
			.select(['workspace_id', 'trace_id', 'span_id', 'parent_span_id', 'user_id', ...belongingNames])
			.where('organization_id', '=', organizationId)
			.where('trace_id', 'in', some)
			.execute();
		links.push(...rows);
	}

	return new Map(links.map(link => [linkKey(link.trace_id, link.span_id), link]));
}

type Changed = {readonly link: Linked; readonly its: Belongings};

/** Gives spans that were stored before their parents what they now belong to. */
async function relink(
	transaction: DatabaseTransaction,
	organizationId: string,
	changed: readonly Changed[],
): Promise<readonly Touched[]> {
	// Those below one parent mostly belong to the same, and are written together.
	const groups = groupBy(changed, ({link, its}) =>
		JSON.stringify([link.trace_id, ...belongingNames.map(name => its[name])]),
	);

	const touched: Touched[] = [];
	for (const some of [...groups.values()].flatMap(group => chunks(group))) {
		const [{link, its} = {}] = some;
		const values = its && (Object.fromEntries(belongingNames.map(name => [name, its[name]])) as Belongings);
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

/** A stored span, as it was read from its request. */
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

/** Microseconds since 1970 as the tables and the API have times. */
export const toTime = (microseconds: number) => new Date(microseconds / 1000).toISOString();
