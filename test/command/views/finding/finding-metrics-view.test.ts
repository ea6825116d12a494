import {expect, test} from 'vitest';
import {metricParts} from '../../../../src/command/views/finding/finding-evidence-view.ts';
import {readLeniently} from '../../../../src/contract/lenient.ts';
import {findingMetricsSchema} from '../../../../src/contract/resources/finding.ts';
import type {Json} from '../../../../src/core/json.ts';
import {drawn} from '../../../commands/context.ts';

const view = (metrics: Json, width = 60) =>
	drawn(
		{kind: 'group', parts: metricParts(readLeniently(findingMetricsSchema, metrics) ?? {}, {full: false}), data: null},
		width,
	).split('\n');

test('numbers and previews are drawn as a list', () => {
	const metrics = {advantage: 0.4, tokens_total: 12, distance_norm: 'l2', original_preview: 'good', l0_changed: null};
	expect(view(metrics)).toEqual([
		'Metrics',
		'advantage         0.4',
		'tokens total      12',
		'distance norm     l2',
		'original preview  good',
	]);
});

test('an image in text is cut', () => {
	expect(view({original_image: 'x'.repeat(1000)}, 2000)).toEqual([
		'Metrics',
		`original image  ${'x'.repeat(600)}… (400 more characters: --full)`,
	]);
});

test('scores are counted in ranges shared by all lists', () => {
	expect(view({score_distribution: {members: [0, 0.95, 1], others: [0.1], none: []}}, 40)).toEqual([
		'score distribution: members (3)',
		'0 to 0.1    1  ████████████▌',
		...[
			'0.1 to 0.2',
			'0.2 to 0.3',
			'0.3 to 0.4',
			'0.4 to 0.5',
			'0.5 to 0.6',
			'0.6 to 0.7',
			'0.7 to 0.8',
			'0.8 to 0.9',
		].map(label => `${label}  0`),
		'0.9 to 1    2  █████████████████████████',
		'',
		'score distribution: others (1)',
		'0 to 0.1    0',
		'0.1 to 0.2  1  █████████████████████████',
		...['0.2 to 0.3', '0.3 to 0.4', '0.4 to 0.5', '0.5 to 0.6', '0.6 to 0.7', '0.7 to 0.8', '0.8 to 0.9'].map(
			label => `${label}  0`,
		),
		'0.9 to 1    0',
	]);
	expect(view({score_distribution: {one: [5, 5]}}, 20)).toEqual(['score distribution:…', '5  2  ██████████████']);
});

test('pairs are drawn as a curve, and invalid points are counted', () => {
	const [title, ...lines] = view({roc: [[0, 0], [1, 1], [3], [1, 2, 3]], distance_curve: []});
	expect([title, lines.length]).toEqual(['roc (2 points, 2 skipped: not a pair of numbers)', 10]);
	expect(view({reconstruction_curve: [[[1]], ['x']]})).toEqual([
		'reconstruction curve (0 points, 2 skipped: not a pair of nu…',
		'Nothing to draw.',
	]);
});

test('records are drawn as a table of at most twenty rows', () => {
	const leaked_records = Array.from({length: 30}, (_, rank) => ({rank, outcome: 'TP', record: null}));
	const lines = view({leaked_records});
	expect([lines[0], lines[1], lines[2], lines.length, lines.at(-1)]).toEqual([
		'leaked records',
		'rank  outcome',
		'   0  TP',
		23,
		'and 10 more: --json shows all.',
	]);
});

test('classes are drawn as bars and rows, and a hub model by its plain fields', () => {
	const metrics = {
		per_class_fidelity: {cat: 1, dog: 0.5},
		per_class: [{class: 'cat', auc: 0.3, confusion: [1]}],
		hub_model: {name: 'bert', tags: ['a']},
	};
	expect(view(metrics, 21)).toEqual([
		'per class fidelity',
		'cat    1  ███████████',
		'dog  0.5  █████▌',
		'',
		'per class',
		'class  auc',
		'cat    0.3',
		'',
		'hub model',
		'name  bert',
	]);
});

test('extreme and very many numbers are drawn within bounds', () => {
	const many = Array.from({length: 200_000}, (_, index) => index);
	const metrics = {
		kl_divergence: 1e308,
		score_distribution: {wide: [-1e308, 1e308], many},
		roc: many.map(x => [x, -x]),
		per_class_auc: Object.fromEntries(many.slice(0, 10_000).map(x => [`c${x}`, x])),
	};
	const lines = view(metrics);
	expect(lines.length).toBeLessThan(80);
	expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(60);
});
