import * as z from 'zod/mini';
import {anyObject, dateTime, defaultsTo, fields, maybe, uuid} from '../scalars.ts';
import {findingReviewEventSchema, trialEvidenceSchema} from './finding-evidence.ts';
import {findingMetricsSchema} from './finding-metrics.ts';
import {messageParts, modalityScores} from './media.ts';

/** `date` is an alias of `created_at`. */
export const findingSortKeys = [
	'score',
	'created_at',
	'updated_at',
	'severity',
	'attack_name',
	'category',
	'date',
] as const;

/** Loose, because the list accepts filters that are not in the specification. */
export const findingsQuerySchema = z.looseObject({
	sort_by: defaultsTo(z.enum(findingSortKeys), 'created_at'),
	sort_dir: defaultsTo(z.enum(['asc', 'desc']), 'desc'),
	page: defaultsTo(z.int(), 1),
	page_size: defaultsTo(z.int(), 50),
});

/** `FindingDetail`: one run of an attack. Times in seconds. */
export const findingSchema = z.looseObject({
	id: uuid,
	assessment_id: uuid,
	attack_name: z.string(),
	goal: z.string(),
	goal_category: z.nullable(z.string()),
	severity: z.string(),
	status: z.enum(['pending', 'running', 'completed', 'failed']),
	best_score: z.nullable(z.number()),
	completed_at: z.nullable(dateTime),
	created_at: dateTime,
	compliance_tags: z.nullable(anyObject),
	execution_time_s: z.nullable(z.number()),
	...fields(['finished_trials', 'total_trials'], z.int()),
	transforms_applied: z.nullable(z.array(z.string())),
	finding_status: defaultsTo(z.string(), 'open'),
	finding_type: defaultsTo(z.string(), 'jailbreak'),
	is_jailbreak: z.optional(z.boolean()),
	review_events: defaultsTo(z.array(findingReviewEventSchema), []),
	top_trials: defaultsTo(z.array(trialEvidenceSchema), []),
	metrics_detail: maybe(findingMetricsSchema),
	updated_at: maybe(dateTime),
	...fields(
		[
			'adversarial_class',
			'assessment_name',
			'attack_domain',
			'attacker_model',
			'best_candidate',
			'best_judge_reasoning',
			'best_response',
			'best_transformed_prompt',
			'category',
			'distance_norm',
			'evaluator_model',
			'extraction_strategy',
			'input_modality',
			'membership_method',
			'notes',
			'original_class',
			'original_severity',
			'risk_domain',
			'span_id',
			'sub_category',
			'target_model',
			'trace_id',
		],
		maybe(z.string()),
	),
	...fields(
		[
			'agreement_rate',
			'distance_value',
			'membership_auc',
			'membership_tpr_at_1fpr',
			'pass_rate',
			'surrogate_fidelity',
			'transfer_success',
		],
		maybe(z.number()),
	),
	query_count: maybe(z.int()),
	...fields(['best_candidate_parts', 'best_response_parts'], messageParts),
	best_modality_scores: modalityScores,
});

/** The list also has an envelope that is not in the specification. */
export const findingsSchema = z.looseObject({findings: z.array(findingSchema)});

export type Finding = z.input<typeof findingSchema>;
