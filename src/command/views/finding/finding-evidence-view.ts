import type {Lenient} from '../../../contract/lenient.ts';
import type {FindingReviewEvent, TrialEvidence} from '../../../contract/resources/finding.ts';
import {cutText} from '../../../core/cut-text.ts';
import {facts, measure, seconds} from '../../render/facts.ts';
import {partsOf} from '../../render/message-parts.ts';
import type {Result} from '../../result.ts';

/** How much of long texts and lists is shown. */
export type Extent = {readonly full: boolean};

const mostTrials = 3;
const longest = 600;

/** Returns the start of a long text, or all of it with `full`. */
export function clip(text: string | null | undefined, {full}: Extent): string | undefined {
	if (!text || full || text.length <= longest) {
		return text ?? undefined;
	}

	const head = cutText(text, longest);
	return `${head}… (${text.length - head.length} more characters: --full)`;
}

/** Returns the best trials in the server's order. */
export function trialParts(trials: readonly Lenient<TrialEvidence>[], extent: Extent): readonly Result[] {
	const shown = extent.full ? trials : trials.slice(0, mostTrials);
	const more = trials.length - shown.length;
	return [
		...shown.map(trial => trialPart(trial, extent)),
		...(more > 0 ? [{kind: 'text', text: `${more} more ${more === 1 ? 'trial' : 'trials'}: --full`} as const] : []),
	];
}

function trialPart(trial: Lenient<TrialEvidence>, extent: Extent): Result {
	const {candidate_parts: candidate, response_parts: response, tool_calls: calls = [], is_jailbreak: jailbreak} = trial;
	const score = measure(trial.score);
	const title = [
		`Trial ${trial.rank ?? ''}`.trim(),
		score && `score ${score}`,
		jailbreak === true && 'jailbreak',
		trial.trial_status,
		seconds(trial.execution_time_s || undefined),
	];
	const fields = facts([
		['candidate', candidate?.length ? partsOf(candidate) : clip(trial.candidate, extent)],
		['transformed', clip(trial.transformed_prompt, extent)],
		['response', response?.length ? partsOf(response) : clip(trial.response, extent)],
		['judge', clip(trial.judge_reasoning, extent)],
		['modalities', scoresInWords(trial.modality_scores)],
		...calls.map(call => ['tool call', clip(callInWords(call), extent)] as const),
		['span', trial.span_id],
	]);
	return {
		kind: 'record',
		title: title.filter(Boolean).join(' · '),
		fields: fields.length > 0 ? fields : [['candidate', 'not recorded']],
		data: null,
	};
}

function scoresInWords(scores: Readonly<Record<string, number>> | null | undefined): string {
	return Object.entries(scores ?? {})
		.map(([name, value]) => `${name} ${measure(value)}`)
		.join(', ');
}

type ToolCall = NonNullable<Lenient<TrialEvidence>['tool_calls']>[number];

/** Returns `planner: search({"q":"x"}) → 3 hits`. */
function callInWords({agent, name, arguments: given, result}: ToolCall): string {
	return `${agent ? `${agent}: ` : ''}${name || 'a tool without a name'}(${given ?? ''})${result ? ` → ${result}` : ''}`;
}

/** Returns the changes of reviewers, in order. */
export function reviewPart(events: readonly Lenient<FindingReviewEvent>[]): readonly Result[] {
	if (events.length === 0) {
		return [];
	}

	return [
		{
			kind: 'record',
			title: 'Reviews',
			fields: events.map(event => {
				const who = event.updated_by ? `by ${event.updated_by}` : undefined;
				const said = [who, ...changesOf(event)].filter(Boolean).join(' · ');
				return [
					event.updated_at || 'no time',
					[said, event.reasoning].filter(Boolean).join('\n') || 'no change',
				] as const;
			}),
			data: null,
		},
	];
}

function changesOf(event: Lenient<FindingReviewEvent>): ReadonlyArray<string | undefined> {
	return [
		change('severity', event.original_severity, event.updated_severity),
		change('status', event.original_status, event.updated_status),
		change('type', event.original_finding_type, event.updated_finding_type),
	];
}

function change(what: string, before: string | null | undefined, after: string | null | undefined): string | undefined {
	if (!after || before === after) {
		return undefined;
	}

	return before ? `${what} ${before} → ${after}` : `${what} ${after}`;
}
