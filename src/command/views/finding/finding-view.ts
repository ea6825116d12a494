import type {AnswerOf} from '../../../contract/endpoint.ts';
import type {endpoints} from '../../../contract/endpoints.ts';
import {type Lenient, originalOf} from '../../../contract/lenient.ts';
import type {Finding} from '../../../contract/resources/finding.ts';
import type {Json} from '../../../core/json.ts';
import {facts, inWords, measure, seconds, wordsOf, yesOrNo} from '../../render/facts.ts';
import {partsOf} from '../../render/message-parts.ts';
import type {Result} from '../../result.ts';
import {clip, type Extent, metricParts, reviewPart, trialParts} from './finding-evidence-view.ts';

type Shown = Lenient<Finding>;

/** Returns a finding with its evidence. `full` shows long texts and all trials. */
export function findingView(finding: Shown, extent: Extent): Result {
	const {metrics_detail: metrics, review_events: reviews = [], top_trials: trials = []} = finding;
	const parts: Result[] = [
		record(finding.attack_name || 'Finding', summaryOf(finding)),
		record('Goal', [
			['goal', finding.goal],
			['goal category', finding.goal_category],
			['notes', finding.notes],
		]),
		record('Models', [
			['target', finding.target_model],
			['attacker', finding.attacker_model],
			['evaluator', finding.evaluator_model],
		]),
		record('Scores', scoresOf(finding)),
		...bars('Scores by modality', finding.best_modality_scores),
		record('Best attempt', bestOf(finding, extent)),
		...trialParts(trials, extent),
		...artifactHint(finding),
		...reviewPart(reviews),
		record(
			'Compliance',
			Object.entries(finding.compliance_tags ?? {}).map(
				([name, value]) => [name, clip(inWords(originalOf(value)), extent)] as const,
			),
		),
		...(metrics ? metricParts(metrics, extent) : []),
	];
	const data = originalOf(finding);
	return {kind: 'group', parts: parts.filter(part => part.kind !== 'record' || part.fields.length > 0), data};
}

function summaryOf(finding: Shown): Parameters<typeof facts>[0] {
	const {severity, original_severity: before, assessment_name: name, assessment_id: assessment} = finding;
	return [
		['finding', finding.id],
		['severity', severity && before && before !== severity ? `${severity} (${before} at first)` : severity],
		['status', finding.finding_status],
		['type', finding.finding_type],
		['jailbreak', yesOrNo(finding.is_jailbreak)],
		['run', finding.status],
		['trials', trialsOf(finding)],
		['time', seconds(finding.execution_time_s)],
		['assessment', [name, assessment].filter(Boolean).join(' · ')],
		['category', [finding.category, finding.sub_category].filter(Boolean).join(' / ')],
		['attack domain', finding.attack_domain],
		['risk domain', finding.risk_domain],
		['adversarial class', finding.adversarial_class],
		['original class', finding.original_class],
		['input', finding.input_modality],
		['transforms', finding.transforms_applied?.join(', ')],
		['extraction', finding.extraction_strategy],
		['membership', finding.membership_method],
		['created', finding.created_at],
		['completed', finding.completed_at],
		['updated', finding.updated_at],
		['trace', finding.trace_id],
		['span', finding.span_id],
	];
}

const scoreNames = [
	'best_score',
	'pass_rate',
	'agreement_rate',
	'membership_auc',
	'membership_tpr_at_1fpr',
	'surrogate_fidelity',
	'transfer_success',
	'distance_value',
	'query_count',
] as const;

function scoresOf(finding: Shown): Parameters<typeof facts>[0] {
	return [
		...scoreNames.map(name => [wordsOf(name), measure(finding[name])] as const),
		['distance norm', finding.distance_norm],
	];
}

function bestOf(finding: Shown, extent: Extent): Parameters<typeof facts>[0] {
	const {best_candidate_parts: candidate, best_response_parts: response} = finding;
	return [
		['candidate', candidate?.length ? partsOf(candidate) : clip(finding.best_candidate, extent)],
		['transformed', clip(finding.best_transformed_prompt, extent)],
		['response', response?.length ? partsOf(response) : clip(finding.best_response, extent)],
		['judge', clip(finding.best_judge_reasoning, extent)],
	];
}

/** Returns how to view the media of a finding, if it has any. */
function artifactHint({trace_id: trace, top_trials: trials = [], ...best}: Shown): readonly Result[] {
	const parts = [
		best.best_candidate_parts,
		best.best_response_parts,
		...trials.flatMap(({candidate_parts: candidate, response_parts: response}) => [candidate, response]),
	].flatMap(list => list ?? []);
	const some = parts.some(({source}) => source?.artifact_oid && (source.ref ?? 'artifact') === 'artifact');
	const hint = `\`trace artifact ${trace} <oid> --download\` saves one.`;
	return trace && some ? [{kind: 'text', text: 'Media are named by the oid of their artifact.', hint}] : [];
}

function bars(title: string, values: Readonly<Record<string, number>> | null | undefined): readonly Result[] {
	const all = Object.entries(values ?? {});
	return all.length > 0 ? [{kind: 'plot', title, plot: {shape: 'bars', bars: all}}] : [];
}

function record(title: string, all: Parameters<typeof facts>[0]): Extract<Result, {kind: 'record'}> {
	return {kind: 'record', title, fields: facts(all), data: null};
}

type Attacks = AnswerOf<(typeof endpoints)['getAttackSpans']>;

const right = 'right';

/** Returns the attacks of an assessment, one a row. Rates and scores are unchanged, because the API doesn't say their scale. */
export function attackTable(attacks: Attacks): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'attack'},
			{label: 'ASR', align: right},
			{label: 'score', align: right},
			{label: 'jailbreak'},
			{label: 'trials', align: right},
			{label: 'time', align: right},
			{label: 'target', cut: 'middle'},
			{label: 'goal', spare: true},
			{label: 'attacker', spare: true},
			{label: 'evaluator', spare: true},
		],
		rows: attacks.map(attack => [
			attack.attack_name ?? '',
			measure(attack.asr) ?? '',
			measure(attack.best_score) ?? '',
			yesOrNo(attack.is_jailbreak) ?? '',
			trialsOf(attack),
			seconds(attack.execution_time_s) ?? '',
			attack.target_model ?? '',
			attack.goal ?? '',
			attack.attacker_model ?? '',
			attack.evaluator_model ?? '',
		]),
		empty: 'No attacks yet. Push traces that record some: `trace push <file>`',
		...(attacks.length > 0 && {notes: ['ASR is the attack success rate.']}),
		data: originalOf(attacks),
	};
}

type Counts = {readonly finished_trials?: number; readonly total_trials?: number};

/** Returns `3 of 10`, as far as known. */
function trialsOf({finished_trials: finished, total_trials: total}: Counts): string {
	return [measure(finished), measure(total)].filter(Boolean).join(' of ');
}

/** Returns findings, one a row, in the given order. */
export function findingTable(
	findings: readonly Lenient<Finding>[],
	{empty, notes, data}: {readonly empty: string; readonly notes: readonly string[]; readonly data: Json},
): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'finding', whole: true},
			{label: 'severity'},
			{label: 'score', align: 'right'},
			{label: 'attack', spare: true},
			{label: 'status', spare: true},
			{label: 'created', spare: true},
			{label: 'goal', spare: true},
		],
		rows: findings.map(finding => [
			finding.id ? {id: finding.id} : '',
			finding.severity ?? '',
			measure(finding.best_score) ?? '',
			finding.attack_name ?? '',
			finding.finding_status ?? '',
			finding.created_at ? {at: finding.created_at} : '',
			finding.goal ?? '',
		]),
		empty,
		opens: {words: ['finding', 'show'], ids: findings.map(({id}) => id ?? '')},
		notes,
		data,
	};
}
