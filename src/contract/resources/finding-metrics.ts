import * as z from 'zod/mini';
import {anyObject, defaultsTo, fields, maybe} from '../scalars.ts';

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
