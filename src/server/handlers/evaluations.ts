import {countAt} from '../ingest/read-attributes.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

export const evaluationHandlers = {
	/** An evaluation exists once a span names it. Its duration is from the first start to the last end. */
	async getEvaluationTraceStats({params: {evaluationId}}, {scope, services: {database}}) {
		const spans = database
			.selectFrom('spans')
			.where('workspace_id', '=', scope.workspace.id)
			.where('evaluation_id', '=', evaluationId);
		const counts = await spans
			.select(({fn, eb}) => [
				fn.countAll<number>().as('total'),
				fn.count<number>(eb.case().when('status_code', '=', 2).then(1).end()).as('errors'),
				fn.count<number>(eb.case().when('parent_span_id', 'is', null).then(1).end()).as('roots'),
				fn.count<number>('evaluation_item_id').distinct().as('traced'),
				fn.min<number | null>('started_at_us').as('started'),
				fn.max<number | null>('ended_at_us').as('ended'),
			])
			.executeTakeFirstOrThrow();
		if (Number(counts.total) === 0) {
			return rejectNotFound();
		}

		const types = await spans.select('type').distinct().orderBy('type').execute();
		const roots = await spans
			.select('attributes')
			.where('attributes', 'like', '%service.evaluation.item_count%')
			.execute();
		const counted = roots.map(({attributes}) => countAt(JSON.parse(attributes), 'service.evaluation.item_count') ?? 0);
		const traced = Number(counts.traced);
		const items = counted.reduce((max, count) => Math.max(max, count), traced);
		return {
			evaluation_id: evaluationId,
			error_spans: Number(counts.errors),
			root_spans: Number(counts.roots),
			span_types: types.map(({type}) => type),
			total_duration_s: ((counts.ended ?? 0) - (counts.started ?? 0)) / 1_000_000,
			total_items: items,
			total_spans: Number(counts.total),
			traced_items: traced,
			untraced_items: items - traced,
		};
	},
} satisfies Partial<Handlers>;
