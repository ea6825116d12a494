import {expect} from 'vitest';
import type {ApprovalQuestion} from '../../../src/agent/approval/approval.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {Act} from '../../../src/core/session/approval.ts';
import {App} from '../../../src/ui/app.tsx';
import {approvalQuestions} from '../../../src/ui/approvals/approval-questions.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {draw} from '../frame.ts';

export const hash = 'a'.repeat(64);
export const signal = new AbortController().signal;
export const npmTest = {
	kind: 'command',
	command: 'npm test -- a',
	folder: '/repo',
	containment: 'sandbox',
} as const satisfies Act;

/** Returns a request for an act. */
export function requestFor(act: Act, more: Partial<ApprovalQuestion> = {}): ApprovalQuestion {
	return {id: 'c', hash, act, subject: '', summary: 'Run it?', verdict: {effect: 'ask', suggestions: []}, ...more};
}

/** A request with a fact and a rule that a key would keep. */
export const uncontained = requestFor(npmTest, {
	facts: [['Not contained', 'bubblewrap is not installed']],
	verdict: {effect: 'ask', suggestions: ['run_command(npm test *)']},
});

/** Shows the question for a request in the app. */
export async function ask(request: ApprovalQuestion, columns: number, rows: number) {
	let answer: (value: string | undefined) => void = () => undefined;
	const drawn = draw(<App />, {columns, rows, answer: value => answer(value)});
	const interact = createPanelInteraction(drawn.store, {now: () => 0});
	({answer} = interact);
	const decided = approvalQuestions({...interact, workspace: () => '/repo', hide: redactKnown})(request, signal);
	await expect.poll(() => drawn.lines().join('\n'), {interval: 5}).toMatch(/N\]|n {1,2}No/);
	return {...drawn, decided, answer: interact.answer};
}
