import {sql} from 'kysely';
import {countAt} from '../ingest/read-attributes.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {totalOf} from './page.ts';

export const evaluationHandlers = {
	/** An evaluation exists once a span names it. Its duration is from the first start to the last end. */
	async getEvaluationTraceStats({params: {evaluationId}}, {scope, services: {database}}) {
		const spans = database
			.selectFrom('spans')
			.where('workspace_id', '=', scope.workspace.id)
			.where('evaluation_id', '=', evaluationId);
		const inEvaluation = {workspace_id: scope.workspace.id, evaluation_id: evaluationId};
		const types = await database
			.selectFrom('evaluation_types')
			.select(({selectFrom}) => [
				'type',
				'spans',
				'errors',
				'roots',
				// Each is the end of an index.
				spans.select(({fn}) => fn.min<number>('started_at_us').as('started')).as('started'),
				spans.select(({fn}) => fn.max<number>('ended_at_us').as('ended')).as('ended'),
				selectFrom('evaluation_items')
					.where(({and}) => and(inEvaluation))
					.select(totalOf)
					.as('traced'),
			])
			.where(({and}) => and(inEvaluation))
			.orderBy('type')
			.execute();
		const [first] = types;
		if (!first) {
			return rejectNotFound();
		}

		const roots = await spans
			.select('attributes')
			// In the words of the index that contains these spans alone.
			.where(sql<boolean>`attributes like '%service.evaluation.item_count%'`)
			.execute();
		const counted = roots.map(({attributes}) => countAt(JSON.parse(attributes), 'service.evaluation.item_count') ?? 0);
		const traced = Number(first.traced);
		const items = counted.reduce((max, count) => Math.max(max, count), traced);
		const sum = (name: 'errors' | 'roots' | 'spans') => types.reduce((total, row) => total + row[name], 0);
		return {
			evaluation_id: evaluationId,
			error_spans: sum('errors'),
			root_spans: sum('roots'),
			span_types: types.map(({type}) => type),
			total_duration_s: ((first.ended ?? 0) - (first.started ?? 0)) / 1_000_000,
			total_items: items,
			total_spans: sum('spans'),
			traced_items: traced,
			untraced_items: items - traced,
		};
	},
} satisfies Partial<Handlers>;
