import * as z from 'zod/mini';
import {defaultsTo, fields} from '../scalars.ts';

/** `EvaluationTraceStatsResponse`. The duration is in seconds. */
export const evaluationTraceStatsSchema = z.looseObject({
	evaluation_id: z.string(),
	...fields(
		['error_spans', 'root_spans', 'total_items', 'total_spans', 'traced_items', 'untraced_items'],
		defaultsTo(z.int(), 0),
	),
	span_types: z.optional(z.array(z.string())),
	total_duration_s: defaultsTo(z.number(), 0),
});

export type EvaluationTraceStats = z.input<typeof evaluationTraceStatsSchema>;
