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
		const itemsTraced = spans.select(({fn}) => fn.count<number | string>('evaluation_item_id').distinct().as('traced'));
		const types = await spans
			.select(({fn, eb}) => [
				'type',
				fn.countAll<number>().as('total'),
				fn.count<number>(eb.case().when('status_code', '=', 2).then(1).end()).as('errors'),
				fn.count<number>(eb.case().when('parent_span_id', 'is', null).then(1).end()).as('roots'),
				fn.min<number>('started_at_us').as('started'),
				fn.max<number>('ended_at_us').as('ended'),
				itemsTraced.as('traced'),
			])
			.groupBy('type')
			.orderBy('type')
			.execute();
		const [first] = types;
		if (!first) {
			return rejectNotFound();
		}

		const roots = await spans
			.select('attributes')
			.where('attributes', 'like', '%service.evaluation.item_count%')
			.execute();
		const counted = roots.map(({attributes}) => countAt(JSON.parse(attributes), 'service.evaluation.item_count') ?? 0);
		const traced = Number(first.traced);
		const items = counted.reduce((max, count) => Math.max(max, count), traced);
		const sum = (name: 'errors' | 'roots' | 'total') => types.reduce((total, row) => total + Number(row[name]), 0);
		const ended = types.reduce((max, row) => Math.max(max, row.ended), first.ended);
		const started = types.reduce((min, row) => Math.min(min, row.started), first.started);
		return {
			evaluation_id: evaluationId,
			error_spans: sum('errors'),
			root_spans: sum('roots'),
			span_types: types.map(({type}) => type),
			total_duration_s: (ended - started) / 1_000_000,
			total_items: items,
			total_spans: sum('total'),
			traced_items: traced,
			untraced_items: items - traced,
		};
	},
} satisfies Partial<Handlers>;
