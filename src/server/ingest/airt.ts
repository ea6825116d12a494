import {groupBy} from '../../core/group-by.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {fieldsOf} from './family.ts';
import {assessmentShape, findingOf, severities} from './finding-detail.ts';
import {derivedId} from './ids.ts';
import type {SpanSender} from './sessions.ts';
import {type Touched, toSpan, toTime} from './store-spans.ts';

/** Writes the assessments and findings that spans belong to. The caller must have locked the workspace. */
export async function deriveAirt(
	transaction: DatabaseTransaction,
	origin: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	const attacks = new Map<string, {readonly traceId: string; readonly spanId: string}>();
	for (const {attack_span_id: attack, span} of touched) {
		if (attack !== null) {
			attacks.set(`${span.traceId}/${attack}`, {traceId: span.traceId, spanId: attack});
		}
	}

	for (const [id, spans] of groupBy(touched, each => each.assessment_id)) {
		await writeAssessment(transaction, origin, id, spans);
	}

	for (const {traceId, spanId} of attacks.values()) {
		await writeFinding(transaction, origin, traceId, spanId);
	}
}

async function writeAssessment(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId, projectId}: SpanSender,
	id: string,
	spans: readonly Touched[],
): Promise<void> {
	const starts = spans.map(({span}) => toTime(span.startedAt)).sort();
	const ends = spans.map(({span}) => toTime(span.endedAt)).sort();
	const [started = ''] = starts;
	const ended = ends.at(-1) ?? started;
	const row = await transaction
		.selectFrom('assessments')
		.selectAll()
		.where('id', '=', id)
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst();
	// The assessment's own span ends last; if there are several, the latest one counts.
	const own = spans
		.filter(({type}) => type === 'assessment')
		.sort((a, b) => a.span.endedAt - b.span.endedAt || a.span.spanId.localeCompare(b.span.spanId))
		.at(-1)?.span;
	const named = own && fieldsOf(own.attributes, 'service.airt.assessment.', assessmentShape);
	const completed = own && toTime(own.endedAt);
	const isNewer = own && completed !== undefined && completed >= (row?.completed_at ?? '');
	const {name, status, ...detail} = named ?? {};
	const values = {
		...(isNewer && {
			name: name ?? own.name,
			status: status ?? (own.statusCode === 2 ? 'failed' : 'completed'),
			detail: JSON.stringify(detail),
			completed_at: completed,
		}),
		created_at: [started, row?.created_at ?? started].sort()[0] ?? started,
		updated_at: [ended, row?.updated_at ?? ended].sort()[1] ?? ended,
	};
	if (row) {
		await transaction.updateTable('assessments').set(values).where('id', '=', id).execute();
		return;
	}

	await transaction
		.insertInto('assessments')
		.values({
			id,
			organization_id: organizationId,
			workspace_id: workspaceId,
			project_id: projectId,
			name: 'Assessment',
			status: 'running',
			detail: '{}',
			completed_at: null,
			...values,
		})
		.execute();
}

/** Rebuilds a finding from all known spans of its attack; does nothing until the attack's own span has arrived. */
async function writeFinding(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId}: SpanSender,
	traceId: string,
	spanId: string,
): Promise<void> {
	const rows = await transaction
		.selectFrom('spans')
		.selectAll()
		.where('organization_id', '=', organizationId)
		.where('workspace_id', '=', workspaceId)
		.where('trace_id', '=', traceId)
		.where('attack_span_id', '=', spanId)
		.where('type', 'in', ['attack', 'trial'])
		.execute();
	const attackRow = rows.find(row => row.span_id === spanId);
	if (!attackRow || attackRow.assessment_id === null) {
		return;
	}

	const id = derivedId('findings', workspaceId, traceId, spanId);
	const trials = rows.filter(({type}) => type === 'trial').map(toSpan);
	const names = {id, assessmentId: attackRow.assessment_id};
	const {finding, attack} = findingOf(toSpan(attackRow), trials, names);
	const values = {
		assessment_id: attackRow.assessment_id,
		attack_name: finding.attack_name,
		category: finding.category ?? null,
		severity: finding.severity,
		severity_rank: severities.indexOf(finding.severity.toLowerCase()),
		best_score: finding.best_score,
		detail: JSON.stringify(finding),
		attack: JSON.stringify(attack),
		created_at: new Date(finding.created_at).toISOString(),
		updated_at: new Date(finding.updated_at ?? finding.created_at).toISOString(),
	};
	await transaction
		.insertInto('findings')
		.values({
			id,
			organization_id: organizationId,
			workspace_id: workspaceId,
			project_id: attackRow.project_id,
			trace_id: traceId,
			span_id: spanId,
			...values,
		})
		.onConflict(conflict => conflict.column('id').doUpdateSet(values))
		.execute();
}
