import type {DatabaseTransaction} from '../database/tables.ts';
import type {SpanMembership} from './context.ts';
import {chunks, ownIds} from './ids.ts';
import {itemNamesOf} from './item-records.ts';
import type {ReceivedSpan} from './otlp/span.ts';
import {nameAt} from './read-attributes.ts';
import {isForeignWrite, loadOwners, loadRunsOfItems} from './run-ownership.ts';
import type {IngestTarget} from './target.ts';

type Key = Parameters<typeof nameAt>[1];

const readName = ({attributes, resource}: ReceivedSpan, key: Key) => nameAt(attributes, key) ?? nameAt(resource, key);

/** The names of OTLP's span kinds, by number. */
const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

/** Returns the type of a span: its own, that of the GenAI conventions, or else its kind. */
export function typeOf(span: ReceivedSpan): string {
	return (
		nameAt(span.attributes, 'service.span.type') ??
		nameAt(span.attributes, 'gen_ai.operation.name') ??
		kinds[span.kind] ??
		'unspecified'
	);
}

export type Claimed = {
	readonly span: ReceivedSpan;
	readonly own: SpanMembership;
	/** The execution that sent it, if the span names one. */
	readonly execution: string | undefined;
};

/** Why a span is rejected if it writes to a run that another execution has claimed. */
export const claimedByAnother = 'Another execution has claimed the workflow run.';

type Result = {
	readonly claimed: readonly Claimed[];
	readonly rejected: readonly string[];
};

/**
 * Returns what spans belong to by their attributes, with this server's ids. Rejects spans that name another user's private
 * session, or that write to a run that another execution or user has claimed.
 */
export async function readMemberships(
	transaction: DatabaseTransaction,
	{workspaceId}: IngestTarget,
	userId: string,
	spans: readonly ReceivedSpan[],
): Promise<Result> {
	const idsOf = (table: 'sessions' | 'assessments' | 'workflow_runs', key: Key) =>
		ownIds(
			transaction,
			table,
			workspaceId,
			spans.flatMap(span => readName(span, key) ?? []),
		);
	const sessions = await idsOf('sessions', 'gen_ai.conversation.id');
	const assessments = await idsOf('assessments', 'service.airt.assessment.id');
	const runs = await idsOf('workflow_runs', 'service.workflow.run.id');
	const items = await ownIds(transaction, 'items', workspaceId, spans.flatMap(itemNamesOf));
	const runsOfItems = await loadRunsOfItems(transaction, workspaceId, [...items.values()]);
	const owners = await loadOwners(transaction, workspaceId, [...new Set([...runs.values(), ...runsOfItems.values()])]);
	const foreign = await privateToOthers(transaction, workspaceId, userId, [...sessions.values()]);
	const claimed: Claimed[] = [];
	const rejected: string[] = [];
	for (const span of spans) {
		const idOf = (ids: ReadonlyMap<string, string>, key: Key) => ids.get(readName(span, key) ?? '') ?? null;
		const session = idOf(sessions, 'gen_ai.conversation.id');
		if (session !== null && foreign.has(session)) {
			rejected.push('A conversation is private to another user.');
			continue;
		}

		const run = idOf(runs, 'service.workflow.run.id');
		const execution = readName(span, 'service.workflow.execution.id');
		// An item that is recorded again moves to this span's run, which also writes to the run that it leaves.
		const itemRuns = itemNamesOf(span).map(name => runsOfItems.get(items.get(name) ?? ''));
		const writer = {executionId: execution, userId};
		if ([run, ...itemRuns].some(id => isForeignWrite(owners.get(id ?? ''), writer))) {
			rejected.push(claimedByAnother);
			continue;
		}

		claimed.push({
			span,
			execution,
			own: {
				session_id: session,
				evaluation_id: readName(span, 'service.evaluation.id') ?? null,
				evaluation_item_id: readName(span, 'service.evaluation.item.id') ?? null,
				assessment_id: idOf(assessments, 'service.airt.assessment.id'),
				attack_span_id: typeOf(span) === 'attack' ? span.spanId : null,
				workflow_run_id: run,
			},
		});
	}

	return {claimed, rejected};
}

async function privateToOthers(
	transaction: DatabaseTransaction,
	workspaceId: string,
	userId: string,
	sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	for (const some of chunks(sessionIds)) {
		const rows = await transaction
			.selectFrom('sessions')
			.select('id')
			.where('id', 'in', some)
			.where('workspace_id', '=', workspaceId)
			.where('visibility', '=', 'private')
			.where('user_id', '!=', userId)
			.execute();
		for (const {id} of rows) {
			found.add(id);
		}
	}

	return found;
}
