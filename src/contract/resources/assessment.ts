import * as z from 'zod/mini';
import {defaultsTo, fields} from '../scalars.ts';
import {messageParts, modalityScores} from './media.ts';
import {cursorFields} from './page.ts';

/** An assessment in a list. It also has a summary of its sandbox and other fields that are not in the specification. */
export const assessmentSchema = z.looseObject({status: z.optional(z.string())});

export const assessmentsSchema = z.looseObject({items: z.array(assessmentSchema), ...cursorFields});

/** `AttackSpanResponse`: one attack, from its trace. `asr` is the attack success rate; the time is in seconds. */
export const attackSpanSchema = z.looseObject({
	attack_name: z.string(),
	goal: z.string(),
	goal_category: z.string(),
	...fields(['asr', 'best_score', 'execution_time_s'], defaultsTo(z.number(), 0)),
	...fields(
		[
			'attacker_model',
			'evaluator_model',
			'target_model',
			'best_candidate',
			'best_response',
			'category',
			'sub_category',
			'span_id',
			'trace_id',
		],
		defaultsTo(z.string(), ''),
	),
	...fields(['best_candidate_parts', 'best_response_parts'], messageParts),
	best_modality_scores: modalityScores,
	...fields(['finished_trials', 'total_trials'], defaultsTo(z.int(), 0)),
	is_jailbreak: z.optional(z.boolean()),
	transforms: z.optional(z.array(z.string())),
});

export type Assessment = z.input<typeof assessmentSchema>;
export type AttackSpan = z.input<typeof attackSpanSchema>;
