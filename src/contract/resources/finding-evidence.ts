import * as z from 'zod/mini';
import {dateTime, defaultsTo, fields, maybe} from '../scalars.ts';
import {messageParts, modalityScores} from './media.ts';

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
