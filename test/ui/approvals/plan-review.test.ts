import {expect, test} from 'vitest';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {ApprovalMode} from '../../../src/core/session/approval.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {type AppStore, createAppStore} from '../../../src/store/store.ts';
import {connectApprovals, followPlans} from '../../../src/ui/approvals/connect-approvals.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';

/** The app after a run that said `text`, or ended with `reason`, with the answers to its questions in order. */
async function afterRun(
	answers: readonly (string | undefined)[],
	{
		mode = 'plan',
		text = 'First, then second.',
		reason = 'done',
	}: {mode?: ApprovalMode; text?: string; reason?: 'done' | 'interrupted'} = {},
) {
	const store = createAppStore();
	const asked: string[] = [];
	const sent: string[] = [];
	const waiting = [...answers];
	const next = async (panel: {readonly question?: string; readonly label?: string; readonly text?: string}) => {
		asked.push([panel.question ?? panel.label, panel.text].filter(Boolean).join(': '));
		return waiting.shift();
	};
	const stop = followPlans({
		store,
		inquire: next,
		edit: next,
		send: message => sent.push(message),
		tell: () => undefined,
	});
	store.getState().setApprovalMode(mode);
	const events: readonly AgentEvent[] = [
		{type: 'run-start', runId: 'r', model: 'm'},
		...(text ? [{type: 'text-delta', id: 't', messageId: 'm', text} as const] : []),
		{type: 'run-end', reason, stopReason: 'end_turn'},
	];
	for (const [seq, event] of events.entries()) {
		store.getState().applyRecords([{v: 1, seq, at: '', session: '', server: 'local', event}]);
	}

	await new Promise(resolve => setImmediate(resolve));
	stop();
	return {asked, sent, mode: store.getState().approvalMode};
}

test.each(['ask', 'edits', 'all'] as const)('an accepted plan continues in the mode %s', async mode => {
	expect(await afterRun([mode])).toEqual({asked: ['Carry out the plan?'], sent: ['Carry out the plan.'], mode});
});

test('no leaves the plan as it is, in plan mode', async () => {
	expect(await afterRun([undefined])).toEqual({asked: ['Carry out the plan?'], sent: [], mode: 'plan'});
});

test('a rejected plan goes back with the reason, in plan mode', async () => {
	const {sent, mode} = await afterRun(['reason', undefined, 'reason', 'Keep the API.']);
	expect([sent, mode]).toEqual([['Keep the API.'], 'plan']);
});

test('an edited plan is sent whole', async () => {
	const {asked, sent, mode} = await afterRun(['change', 'Only first.', 'edits']);
	expect(asked).toEqual(['Carry out the plan?', 'Edit the plan: First, then second.', 'Carry out your plan?']);
	expect([sent, mode]).toEqual([['Carry out this plan instead:\n\nOnly first.'], 'edits']);
});

test.each([
	['in another mode', {mode: 'ask'} as const],
	['after a run without an answer', {text: ''}],
	['after an interrupted run', {reason: 'interrupted'} as const],
])('nothing is asked %s', async (_, given) => {
	expect((await afterRun(['ask'], given)).asked).toEqual([]);
});

test('[8] what the user makes of a plan, and says about it, reaches the model without credentials', async () => {
	const token = `ghp_${'aB3'.repeat(12)}`;
	for (const answers of [
		['change', `Use ${token}.`, 'ask'],
		['reason', `Use ${token}.`],
	]) {
		const store = createAppStore();
		const sent: string[] = [];
		const next = async () => answers.shift();
		const stop = await connectApprovals({
			program: {
				local: {secrets: {hide: redactKnown}, settings: {value: () => false}},
				project: {folder: {path: () => '/repo'}},
				session: {
					askWith: () => undefined,
					conversation: {flush: () => undefined, send: async text => void sent.push(text)},
				},
			},
			store,
			interact: {...createPanelInteraction(store), inquire: next, edit: next},
			tell: () => undefined,
		});
		finishPlan(store, 'A plan.');
		await expect.poll(() => sent, {interval: 5}).toEqual([expect.stringMatching(/Use \*\*\*\.$/)]);
		stop();
	}
});

/** Ends a run in plan mode with a text. */
function finishPlan(store: AppStore, text: string): void {
	store.getState().setApprovalMode('plan');
	const events: readonly AgentEvent[] = [
		{type: 'run-start', runId: 'r', model: 'm'},
		{type: 'text-delta', id: 't', messageId: 'm', text},
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
	];
	for (const [seq, event] of events.entries()) {
		store.getState().applyRecords([{v: 1, seq, at: '', session: '', server: 'local', event}]);
	}
}

test('the question closes when the user selects another mode', async () => {
	const store = createAppStore();
	const interact = createPanelInteraction(store);
	const stop = followPlans({...interact, store, send: () => undefined, tell: () => undefined});
	finishPlan(store, 'A plan.');
	await expect.poll(() => store.getState().panel?.kind, {interval: 5}).toBe('confirm');
	store.getState().setApprovalMode('ask');
	expect(store.getState().panel).toBe(undefined);
	stop();
});
