import * as z from 'zod/mini';
import {anyObject, dateTime, defaultsTo, fields, maybe, uuid} from '../scalars.ts';
import {messageParts, modalityScores} from './media.ts';
import {cursorFields, pageFields} from './page.ts';

/** `FindingReviewEvent`: one edit by a reviewer; immutable. */
export const findingReviewEventSchema = z.looseObject({
	...fields(
		[
			'original_finding_type',
			'original_severity',
			'original_status',
			'reasoning',
			'updated_by',
			'updated_finding_type',
			'updated_severity',
			'updated_status',
		],
		maybe(z.string()),
	),
	updated_at: z.optional(dateTime),
});

/** `ToolCallEvidence`. `agent` and `result` are for systems of several agents. */
export const toolCallEvidenceSchema = z.looseObject(
	fields(['agent', 'arguments', 'name', 'result'], defaultsTo(z.string(), '')),
);

/** `TrialEvidence`: one trial of an attack. The time is in seconds. */
export const trialEvidenceSchema = z.looseObject({
	rank: z.int(),
	...fields(
		['candidate', 'judge_reasoning', 'response', 'span_id', 'transformed_prompt', 'trial_status'],
		defaultsTo(z.string(), ''),
	),
	...fields(['candidate_parts', 'response_parts'], messageParts),
	...fields(['execution_time_s', 'score'], defaultsTo(z.number(), 0)),
	is_jailbreak: z.optional(z.boolean()),
	modality_scores: modalityScores,
	tool_calls: z.optional(z.array(toolCallEvidenceSchema)),
	trial_index: defaultsTo(z.int(), 0),
});

export type FindingReviewEvent = z.input<typeof findingReviewEventSchema>;
export type TrialEvidence = z.input<typeof trialEvidenceSchema>;

export const leakedRecordSchema = z.looseObject({
	member_prob: defaultsTo(z.number(), 0),
	outcome: defaultsTo(z.string(), ''),
	...fields(['predicted_member', 'rank', 'true_member'], defaultsTo(z.int(), 0)),
	record: maybe(z.string()),
});

export const querySampleSchema = z.looseObject({
	input: defaultsTo(z.string(), ''),
	confidence: maybe(z.number()),
	label: maybe(z.int()),
});

/** `FindingMetricsDetail`. Not loose: a server drops other keys. */
export const findingMetricsSchema = z.object({
	...fields(
		[
			'accuracy_ratio',
			'advantage',
			'attack_accuracy',
			'attack_precision',
			'attack_recall',
			'balanced_accuracy',
			'kl_divergence',
			'l2_distance',
			'linf_distance',
			'mean_confidence',
			'mean_reference_similarity',
			'perturbation_ratio',
			'residual_confidence',
			'soft_fidelity',
			'surrogate_accuracy',
			'target_accuracy',
		],
		maybe(z.number()),
	),
	...fields(['classes_reconstructed', 'l0_changed', 'tokens_changed', 'tokens_total'], maybe(z.int())),
	...fields(
		['adversarial_image', 'distance_norm', 'original_image', 'original_preview', 'perturbed_preview'],
		maybe(z.string()),
	),
	hub_model: maybe(anyObject),
	...fields(
		['distance_curve', 'fidelity_vs_budget', 'reconstruction_curve', 'roc'],
		z.optional(z.array(z.array(z.number()))),
	),
	leaked_records: z.optional(z.array(leakedRecordSchema)),
	per_class: z.optional(z.array(anyObject)),
	...fields(['per_class_auc', 'per_class_fidelity'], z.optional(z.record(z.string(), z.number()))),
	query_samples: z.optional(z.array(querySampleSchema)),
	score_distribution: z.optional(z.record(z.string(), z.array(z.number()))),
});

export type FindingMetrics = z.input<typeof findingMetricsSchema>;

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
	...pageFields,
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
export const findingsSchema = z.looseObject({findings: z.array(findingSchema), ...cursorFields});

export type Finding = z.input<typeof findingSchema>;
