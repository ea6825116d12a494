import type {Answer} from '../../core/question.ts';
import type {ApprovalMode} from '../../core/session/approval.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';

/** Until when a mode that the user accepts a plan in holds. */
const life = 'until you select another mode';

/** How to answer a plan besides no, which leaves it as it is. */
export const planAnswers: readonly Answer[] = [
	{key: 'y', label: 'Yes, asking before changes', value: 'ask'},
	{key: 'e', label: 'Yes, in edits mode', value: 'edits', keeps: {rules: [], life: `edits mode · ${life}`}},
	{key: 'a', label: 'Yes, in all mode', value: 'all', keeps: {rules: [], life: `all mode · ${life}`}},
	{key: 'c', label: 'Edit the plan', value: 'change'},
	{key: 'r', label: 'No, and say why', value: 'reason'},
];
const nextModes = ['ask', 'edits', 'all'] as const satisfies readonly ApprovalMode[];

/** What the user is asked about a plan, and what tells the agent to begin. */
export const planQuestion = 'Carry out the plan?';
export const carryOut = 'Carry out the plan.';

/** Returns the mode in which an answer carries out the plan; undefined for any other answer. */
export function modeAfterPlan(answer: string | undefined): ApprovalMode | undefined {
	return nextModes.find(mode => mode === answer);
}

/** Returns the text that a run ended with; undefined if it ended with anything else. */
export function planOf(transcript: Transcript): string | undefined {
	const last = blocksOf(transcript).at(-1);
	return last?.kind === 'text' && last.text.trim() ? last.text.trim() : undefined;
}
