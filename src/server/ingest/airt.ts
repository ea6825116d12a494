import * as z from 'zod/mini';
import {type AttackSpan, attackSpanSchema} from '../../contract/resources/assessment.ts';
import {
	type Finding,
	findingSchema,
	type TrialEvidence,
	trialEvidenceSchema,
} from '../../contract/resources/finding.ts';
import {derivedId} from '../../core/derived-id.ts';
import {groupBy} from '../../core/group-by.ts';
import {maxSortedLength} from '../database/migrations/041-filtered-findings.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {fieldsOf} from './family.ts';
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
		attack_name: toSorted(finding.attack_name),
		category: typeof finding.category === 'string' ? toSorted(finding.category) : null,
		severity: toSorted(finding.severity),
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

/** Returns the beginning of a text by which findings are sorted and filtered, without half a character at its end. */
export const toSorted = (text: string): string =>
	text.length > maxSortedLength
		? Array.from(text.slice(0, maxSortedLength * 2))
				.slice(0, maxSortedLength)
				.join('')
		: text;

type Span = Touched['span'];

/** The maximum number of trials in a finding. */
const maxTrials = 10;

/** Severities from the lowest to the highest; an unknown one ranks below all. */
const severities: readonly string[] = ['info', 'low', 'medium', 'high', 'critical'];

const secondsOf = ({startedAt, endedAt}: Span) => (endedAt - startedAt) / 1_000_000;

/** Returns a trial from its span, without its rank. */
function trialOf(span: Span): TrialEvidence {
	return {
		execution_time_s: secondsOf(span),
		...fieldsOf(span.attributes, 'service.airt.trial.', trialEvidenceSchema.shape),
		span_id: span.spanId,
		rank: 0,
	};
}

/** Returns trials from the attacker's best to the worst, always in the same order. */
function ranked(trials: readonly TrialEvidence[]): readonly TrialEvidence[] {
	const order = (a: TrialEvidence, b: TrialEvidence) =>
		(b.score ?? 0) - (a.score ?? 0) ||
		(a.trial_index ?? 0) - (b.trial_index ?? 0) ||
		String(a.span_id).localeCompare(String(b.span_id));
	return [...trials].sort(order).map((trial, index) => ({...trial, rank: index + 1}));
}

const hasFinished = ({trial_status: status = ''}: TrialEvidence) => !['pending', 'running'].includes(status);

/** Returns the severity of a finding that names none, from whether and how well the attack succeeded. */
function severityOf(isJailbreak: boolean, score: number): string {
	if (!isJailbreak) {
		return 'info';
	}

	return score >= 0.9 ? 'critical' : score >= 0.7 ? 'high' : score >= 0.4 ? 'medium' : 'low';
}

type Names = {
	readonly id: string;
	readonly assessmentId: string;
};

/** Returns a finding and its attack, given the span of the attack and those of its trials. */
function findingOf(
	span: Span,
	trialSpans: readonly Span[],
	{id, assessmentId}: Names,
): {readonly finding: Finding; readonly attack: AttackSpan} {
	const trials = ranked(trialSpans.map(trialOf));
	const [best] = trials;
	const named = fieldsOf(span.attributes, 'service.airt.attack.', findingSchema.shape);
	const asAttack = fieldsOf(span.attributes, 'service.airt.attack.', attackSpanSchema.shape);
	const successes = trials.filter(({is_jailbreak: is}) => is === true).length;
	const common = commonOf(span, named, trials);
	const {finished_trials: finished, is_jailbreak: isJailbreak} = common;
	const score = named.best_score ?? best?.score ?? null;
	const ended = toTime(Math.max(span.endedAt, ...trialSpans.slice(0, 10_000).map(({endedAt}) => endedAt)));
	const transforms = named.transforms_applied ?? asAttack.transforms ?? null;
	return {
		finding: z.parse(findingSchema, {
			best_judge_reasoning: best?.judge_reasoning ?? null,
			best_transformed_prompt: best?.transformed_prompt ?? null,
			...named,
			...common,
			id,
			assessment_id: assessmentId,
			goal_category: named.goal_category ?? null,
			severity: named.severity ?? severityOf(isJailbreak, score ?? 0),
			status: span.statusCode === 2 ? 'failed' : (named.status ?? 'completed'),
			best_score: score,
			completed_at: named.completed_at ?? toTime(span.endedAt),
			created_at: named.created_at ?? toTime(span.startedAt),
			updated_at: named.updated_at ?? ended,
			compliance_tags: named.compliance_tags ?? null,
			transforms_applied: transforms,
			finding_status: named.finding_status ?? 'open',
			finding_type: named.finding_type ?? 'jailbreak',
			review_events: named.review_events ?? [],
			top_trials: [...trials.slice(0, maxTrials)],
		}),
		attack: z.parse(attackSpanSchema, {
			...asAttack,
			...common,
			goal_category: named.goal_category ?? '',
			asr: asAttack.asr ?? (finished > 0 ? Math.min(1, successes / finished) : 0),
			best_score: score ?? 0,
			transforms: transforms ?? [],
		}),
	};
}

/** Returns the fields that a finding and its attack share: what the span names, else what the trials show. */
function commonOf(span: Span, named: Partial<Finding>, trials: readonly TrialEvidence[]) {
	const [best] = trials;
	return {
		attack_name: named.attack_name ?? span.name,
		goal: named.goal ?? '',
		finished_trials: named.finished_trials ?? trials.filter(hasFinished).length,
		total_trials: named.total_trials ?? trials.length,
		is_jailbreak: named.is_jailbreak ?? trials.some(({is_jailbreak: is}) => is === true),
		execution_time_s: named.execution_time_s ?? secondsOf(span),
		best_candidate: named.best_candidate ?? best?.candidate ?? '',
		best_response: named.best_response ?? best?.response ?? '',
		best_candidate_parts: named.best_candidate_parts ?? best?.candidate_parts ?? null,
		best_response_parts: named.best_response_parts ?? best?.response_parts ?? null,
		best_modality_scores: named.best_modality_scores ?? best?.modality_scores ?? null,
		span_id: span.spanId,
		trace_id: span.traceId,
	};
}

/** The fields of an assessment's own span. */
const assessmentShape = {
	name: z.string().check(z.minLength(1)),
	status: z.string().check(z.minLength(1)),
	description: z.string(),
	target_model: z.string(),
	sandbox: z.record(z.string(), z.unknown()),
};
