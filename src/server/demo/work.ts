import {demoId} from './ids.ts';
import type {DemoSpan} from './span.ts';

type Item = {readonly type: string; readonly ref?: string; readonly unit: string; readonly data: object};

type Run = {
	readonly id: string;
	readonly title: string;
	readonly status: 'pending' | 'running' | 'completed';
	readonly at: number;
	readonly items: readonly Item[];
};

const finding = (title: string, severity: string, location: string, unit: string): Item => ({
	type: 'findings',
	ref: location,
	unit,
	data: {title, severity, location, confidence: severity === 'low' ? 0.6 : 0.9},
});

const runs: readonly Run[] = [
	{
		id: 'audit-2026',
		title: 'Audit of the payment service',
		status: 'completed',
		at: -8 * 3600,
		items: [
			finding('Amount is not checked again on the server', 'high', 'src/pay/charge.ts:88', 'review'),
			finding('Webhook accepts an unsigned body', 'critical', 'src/pay/webhook.ts:21', 'review'),
			finding('Session cookie lacks SameSite', 'low', 'src/web/session.ts:40', 'review'),
			{
				type: 'dependency_risk',
				unit: 'dependencies',
				data: {package: 'left-pad', version: '1.3.0', reason: 'Not maintained since 2018.'},
			},
			{
				type: 'reports',
				unit: 'summary',
				data: {title: 'Audit of the payment service', body: '# Result\n\nTwo things to fix before the release.'},
			},
		],
	},
	{id: 'nightly-triage', title: 'Nightly triage of new issues', status: 'running', at: -1800, items: []},
	{id: 'weekly-audit', title: 'Weekly audit', status: 'pending', at: -300, items: []},
];

const declared = {
	'service.item.schema_ref': 'dependency-review/dependency_risk@1',
	'service.capability.name': 'dependency-review',
	'service.capability.version': '1.0.0',
	'service.item.json_schema': {
		title: 'Dependency risk',
		type: 'object',
		required: ['package', 'reason'],
		properties: {package: {type: 'string'}, version: {type: 'string'}, reason: {type: 'string'}},
	},
};

/** Workflow runs with items recorded by agents. One item type has a schema declared by a capability. */
const runSpans: readonly DemoSpan[] = runs.flatMap(({id, title, status, at, items}) => [
	{
		trace: id,
		id: 'root',
		name: title,
		at,
		lasts: 240,
		attributes: {
			'service.span.type': 'workflow_run',
			'service.workflow.run.id': demoId('run', id),
			'service.workflow.run.title': title,
			'service.workflow.run.status': status,
			...(items.length > 0 && {'gen_ai.conversation.id': demoId('session', id), 'gen_ai.agent.name': 'reviewer'}),
		},
	},
	...items.map(
		({type, ref, unit, data}, index): DemoSpan => ({
			trace: id,
			id: `item-${index}`,
			parent: 'root',
			name: `record ${type}`,
			at: at + 10 + index * 20,
			lasts: 0.01,
			attributes: {
				'service.item.type': type,
				'service.item.id': demoId('item', `${id}-${index}`),
				'service.item.data': data,
				'service.workflow.unit': unit,
				...(ref && {'service.item.ref': ref}),
				...(type === 'dependency_risk' && declared),
			},
		}),
	),
]);

/** The ids of the runs. */
export const demoRuns: readonly string[] = runs.map(({id}) => demoId('run', id));

export const demoEvaluation = 'support-quality';
const traced = 18;

/** An evaluation of 20 items: two left no trace, and one failed. */
const evaluationSpans: readonly DemoSpan[] = [
	{
		trace: demoEvaluation,
		id: 'root',
		name: demoEvaluation,
		at: -4 * 3600,
		lasts: traced * 12,
		attributes: {'service.evaluation.id': demoEvaluation, 'service.evaluation.item_count': 20},
	},
	...Array.from(
		{length: traced},
		(_, index): DemoSpan => ({
			trace: demoEvaluation,
			id: `item-${index}`,
			parent: 'root',
			name: `item ${index + 1}`,
			at: -4 * 3600 + index * 12,
			lasts: 8 + (index % 5),
			...(index === 11 && {failed: 'The answer came too late.'}),
			attributes: {
				'service.evaluation.id': demoEvaluation,
				'service.evaluation.item.id': `ticket-${index + 1}`,
				'service.span.type': index % 3 === 0 ? 'scorer' : 'task',
			},
		}),
	),
];

export const workSpans: readonly DemoSpan[] = [...runSpans, ...evaluationSpans];
