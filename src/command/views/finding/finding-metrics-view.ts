import {type Lenient, originalOf} from '../../../contract/lenient.ts';
import type {FindingMetrics} from '../../../contract/resources/finding.ts';
import {formatMeasure} from '../../../core/format.ts';
import {isJsonObject} from '../../../core/json.ts';
import {facts, measure, wordsOf} from '../../render/facts.ts';
import {looseFields, looseTable} from '../../render/loose-table.ts';
import {type Bar, extentOf, type Point, shareOf} from '../../render/plot.ts';
import type {Result} from '../../result.ts';
import {clip, type Extent} from './finding-evidence-view.ts';

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
