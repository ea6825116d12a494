import {type Lenient, originalOf} from '../../../contract/lenient.ts';
import type {FindingMetrics, FindingReviewEvent, TrialEvidence} from '../../../contract/resources/finding.ts';
import {cutText} from '../../../core/cut-text.ts';
import {formatMeasure} from '../../../core/format.ts';
import {isJsonObject} from '../../../core/json.ts';
import {facts, measure, seconds, wordsOf} from '../../render/facts.ts';
import {looseFields, looseTable} from '../../render/loose-table.ts';
import {partsOf} from '../../render/message-parts.ts';
import {type Bar, extentOf, type Point, shareOf} from '../../render/plot.ts';
import type {Result} from '../../result.ts';

/** How much of long texts and lists is shown. */
export type Extent = {readonly full: boolean};

const mostTrials = 3;
const longest = 600;

/** Returns the start of a long text, or all of it with `full`. */
export function clip(text: string | null | undefined, {full}: Extent): string | undefined {
	if (!text || full || text.length <= longest) {
		return text ?? undefined;
	}

	const head = cutText(text, longest);
	return `${head}… (${text.length - head.length} more characters: --full)`;
}

/** Returns the best trials in the server's order. */
export function trialParts(trials: readonly Lenient<TrialEvidence>[], extent: Extent): readonly Result[] {
	const shown = extent.full ? trials : trials.slice(0, mostTrials);
	const more = trials.length - shown.length;
	return [
		...shown.map(trial => trialPart(trial, extent)),
		...(more > 0 ? [{kind: 'text', text: `${more} more ${more === 1 ? 'trial' : 'trials'}: --full`} as const] : []),
	];
}

function trialPart(trial: Lenient<TrialEvidence>, extent: Extent): Result {
	const {candidate_parts: candidate, response_parts: response, tool_calls: calls = [], is_jailbreak: jailbreak} = trial;
	const score = measure(trial.score);
	const title = [
		`Trial ${trial.rank ?? ''}`.trim(),
		score && `score ${score}`,
		jailbreak === true && 'jailbreak',
		trial.trial_status,
		seconds(trial.execution_time_s || undefined),
	];
	const fields = facts([
		['candidate', candidate?.length ? partsOf(candidate) : clip(trial.candidate, extent)],
		['transformed', clip(trial.transformed_prompt, extent)],
		['response', response?.length ? partsOf(response) : clip(trial.response, extent)],
		['judge', clip(trial.judge_reasoning, extent)],
		['modalities', scoresInWords(trial.modality_scores)],
		...calls.map(call => ['tool call', clip(callInWords(call), extent)] as const),
		['span', trial.span_id],
	]);
	return {
		kind: 'record',
		title: title.filter(Boolean).join(' · '),
		fields: fields.length > 0 ? fields : [['candidate', 'not recorded']],
		data: null,
	};
}

function scoresInWords(scores: Readonly<Record<string, number>> | null | undefined): string {
	return Object.entries(scores ?? {})
		.map(([name, value]) => `${name} ${measure(value)}`)
		.join(', ');
}

type ToolCall = NonNullable<Lenient<TrialEvidence>['tool_calls']>[number];

/** Returns `planner: search({"q":"x"}) → 3 hits`. */
function callInWords({agent, name, arguments: given, result}: ToolCall): string {
	return `${agent ? `${agent}: ` : ''}${name || 'a tool without a name'}(${given ?? ''})${result ? ` → ${result}` : ''}`;
}

/** Returns the changes of reviewers, in order. */
export function reviewPart(events: readonly Lenient<FindingReviewEvent>[]): readonly Result[] {
	if (events.length === 0) {
		return [];
	}

	return [
		{
			kind: 'record',
			title: 'Reviews',
			fields: events.map(event => {
				const who = event.updated_by ? `by ${event.updated_by}` : undefined;
				const said = [who, ...changesOf(event)].filter(Boolean).join(' · ');
				return [
					event.updated_at || 'no time',
					[said, event.reasoning].filter(Boolean).join('\n') || 'no change',
				] as const;
			}),
			data: null,
		},
	];
}

function changesOf(event: Lenient<FindingReviewEvent>): ReadonlyArray<string | undefined> {
	return [
		change('severity', event.original_severity, event.updated_severity),
		change('status', event.original_status, event.updated_status),
		change('type', event.original_finding_type, event.updated_finding_type),
	];
}

function change(what: string, before: string | null | undefined, after: string | null | undefined): string | undefined {
	if (!after || before === after) {
		return undefined;
	}

	return before ? `${what} ${before} → ${after}` : `${what} ${after}`;
}

type Metrics = Lenient<FindingMetrics>;

const curves = ['roc', 'distance_curve', 'fidelity_vs_budget', 'reconstruction_curve'] as const;
const perClass = ['per_class_auc', 'per_class_fidelity'] as const;
const previews = ['original_preview', 'perturbed_preview', 'original_image', 'adversarial_image'] as const;
const bins = 10;
const mostRows = 20;

/** Returns the metrics of a finding: numbers as a list, curves and distributions as charts, records as tables. */
export function metricParts(metrics: Metrics, extent: Extent): readonly Result[] {
	const numbers = Object.entries(metrics).flatMap(([name, value]) =>
		typeof value === 'number' ? [[wordsOf(name), formatMeasure(value)] as const] : [],
	);
	const texts = previews.map(name => [wordsOf(name), clip(metrics[name], extent)] as const);
	const scalars = facts([...numbers, ['distance norm', metrics.distance_norm], ...texts]);
	const model = isJsonObject(metrics.hub_model) ? looseFields(metrics.hub_model) : [];
	return [
		...(scalars.length > 0 ? [{kind: 'record', title: 'Metrics', fields: scalars, data: null} as const] : []),
		...curves.flatMap(name => curvePart(wordsOf(name), metrics[name])),
		...distributionParts(metrics.score_distribution ?? {}),
		...perClass.flatMap(name => barsPart(wordsOf(name), Object.entries(metrics[name] ?? {}))),
		...table('per class', metrics.per_class),
		...table('leaked records', metrics.leaked_records),
		...table('query samples', metrics.query_samples),
		...(model.length > 0 ? [{kind: 'record', title: 'hub model', fields: model, data: null} as const] : []),
	];
}

function barsPart(title: string, bars: readonly Bar[]): readonly Result[] {
	return bars.length > 0 ? [{kind: 'plot', title, plot: {shape: 'bars', bars}}] : [];
}

/** Draws pairs as points. The API doesn't specify other forms of a curve, so those are only counted. */
function curvePart(title: string, rows: readonly (readonly number[])[] | undefined): readonly Result[] {
	if (!rows || rows.length === 0) {
		return [];
	}

	const points = rows.flatMap(([x, y, ...more]): Point[] =>
		x !== undefined && y !== undefined && more.length === 0 ? [[x, y]] : [],
	);
	const left = rows.length - points.length;
	const count = `${points.length} ${points.length === 1 ? 'point' : 'points'}`;
	const rest = left > 0 ? `, ${left} skipped: not a pair of numbers` : '';
	return [{kind: 'plot', title: `${title} (${count}${rest})`, plot: {shape: 'curve', points}}];
}

/** Counts the scores of each list by range. All lists have the same ranges, so that they can be compared. */
function distributionParts(lists: Readonly<Record<string, readonly number[]>>): readonly Result[] {
	const filled = Object.entries(lists).filter(([, scores]) => scores.length > 0);
	const [least, greatest] = extentOf(filled.flatMap(([, scores]) => scores));
	return filled.flatMap(([name, scores]) =>
		barsPart(`score distribution: ${name} (${scores.length})`, histogram(scores, least, greatest)),
	);
}

function histogram(scores: readonly number[], least: number, greatest: number): readonly Bar[] {
	if (least === greatest) {
		return [[formatMeasure(least), scores.length]];
	}

	const counts = new Array<number>(bins).fill(0);
	for (const score of scores) {
		const bin = Math.min(bins - 1, Math.floor(shareOf(score, least, greatest) * bins));
		counts[bin] = (counts[bin] ?? 0) + 1;
	}

	const edge = (index: number) => formatMeasure(least * (1 - index / bins) + greatest * (index / bins));
	return counts.map((count, index) => [`${edge(index)} to ${edge(index + 1)}`, count] as const);
}

function table(title: string, rows: unknown): readonly Result[] {
	const items = Array.isArray(rows) ? rows.map(originalOf).filter(isJsonObject) : [];
	const more = items.length - mostRows;
	return items.length > 0
		? [
				looseTable({
					items: items.slice(0, mostRows),
					first: ['rank', 'class', 'label'],
					empty: '',
					title,
					...(more > 0 && {notes: [`and ${measure(more)} more: --json shows all.`]}),
					data: null,
				}),
			]
		: [];
}
