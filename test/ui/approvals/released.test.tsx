import {expect, test} from 'vitest';
import {createApprovals} from '../../../src/agent/approval/approval.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import {App} from '../../../src/ui/app.tsx';
import {approvalQuestions} from '../../../src/ui/approvals/approval-questions.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {draw} from '../frame.ts';
import {signal} from './asking.tsx';

test('[4] a question that a rule answers closes, and the next one takes keys only after it was in sight', async () => {
	const drawn = draw(<App />, {columns: 80, rows: 24});
	let now = 0;
	const interact = createPanelInteraction(drawn.store, {now: () => now});
	const covered = new Set<string>();
	const listeners = new Set<() => void>();
	const approvals = createApprovals({
		decide: approvalQuestions({...interact, workspace: () => '/repo', hide: redactKnown}),
		judge: async act =>
			act.kind === 'command' && covered.has(act.command)
				? {effect: 'allow', by: [parseRule(`run_command(${act.command})`)]}
				: {effect: 'ask', suggestions: []},
		mode: () => 'ask',
		keep: async () => undefined,
		onChange(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	});
	const cover = (command: string) => {
		covered.add(command);
		for (const listener of listeners) {
			listener();
		}
	};
	const run = approvals.startRun();
	const ask = (command: string) =>
		run({id: command, signal, emit: () => undefined})({
			summary: 'Run it?',
			subject: command,
			act: {kind: 'command', command, folder: '/repo', containment: 'sandbox'},
		});
	const screen = () => drawn.lines().join('\n');
	const panel = () => drawn.store.getState().panel;

	const [first, second] = [ask('make one'), ask('make two')];
	await expect.poll(screen, {interval: 5}).toContain('$ make one');
	now = 1000;
	cover('make one');
	expect(await first).toEqual({allowed: true});
	await expect.poll(screen, {interval: 5}).toContain('$ make two');
	expect(screen()).not.toContain('make one');
	expect(panel()).toMatchObject({kind: 'confirm', askedAt: 1000});
	cover('make two');
	expect(await second).toEqual({allowed: true});
	expect(panel()).toBeUndefined();
	await expect.poll(screen, {interval: 5}).not.toContain('make two');
});
