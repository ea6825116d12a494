import {expect, test} from 'vitest';
import type {RunStarter} from '../../../src/agent/history.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import type {Act} from '../../../src/core/session/approval.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {approvalsOf} from '../scripted.ts';

const {signal} = new AbortController();
const command = (text: string): Act => ({kind: 'command', command: text, folder: '/', containment: 'sandbox'});

/** Approvals whose user must not be asked while a watch works. */
function unattended(suggestions: readonly string[], more: Parameters<typeof approvalsOf>[1] = {}) {
	let startedBy: RunStarter = 'watch';
	let asked = 0;
	const events: AgentEvent[] = [];
	const approvals = approvalsOf(
		async ({hash}) => {
			asked += 1;
			return {allowed: true, hash};
		},
		{judge: async () => ({effect: 'ask', suggestions}), ...more},
	);
	const run = approvals.startRun(() => startedBy);
	return {
		events,
		asked: () => asked,
		notices: () => events.flatMap(event => (event.type === 'notice' ? [[event.text, event.hint]] : [])),
		joinUser() {
			startedBy = 'user';
		},
		approve: (act: Act, subject = 'a') =>
			run({id: 'call', signal, emit: event => events.push(event)})({act, summary: 'Run npm test?', subject}),
	};
}

const acts: readonly Act[] = [
	command('npm test'),
	{...command('npm test'), kind: 'command', containment: 'none'} as Act,
	{kind: 'edit', path: '/a.txt'},
	{kind: 'read-secret', path: '/.env'},
	{kind: 'fetch', method: 'GET', url: 'https://a.example/'} as unknown as Act,
];

test.each(acts)('[14] in a run of a watch $kind is denied at once, and no question opens', async act => {
	const {approve, asked, notices, events} = unattended(['run_command(npm test)']);
	await expect(approve(act)).rejects.toMatchObject({
		code: 'failed',
		message: 'Not allowed: Run npm test? A watch started this run, so nobody was asked.',
		hint: 'Continue without it, and tell the user that `approvals allow "run_command(npm test)"` allows it.',
	});
	expect(asked()).toBe(0);
	expect(notices()).toEqual([
		['Denied, because a watch started this run: Run npm test?', 'Allow it: `approvals allow "run_command(npm test)"`'],
	]);
	expect(events.filter(({type}) => type === 'approval-answer')).toMatchObject([{allowed: false, by: 'unattended'}]);
});

test('what is denied again is told the model each time, and the user once', async () => {
	const {approve, notices} = unattended(['run_command(npm test)']);
	for (const subject of ['a', 'a', 'b', 'a']) {
		await expect(approve(command('npm test'), subject)).rejects.toThrow('nobody was asked');
	}

	expect(notices()).toHaveLength(2);
});

test.each([
	{rules: []},
	{rules: ['run_command(echo `id`)']},
	{rules: ['run_command(echo "a")']},
	{rules: ['run_command(a)', 'run_command(b)', 'run_command(c)']},
])('rules that a hint can not name are left to the next question of the user: $rules', async ({rules}) => {
	const {approve, notices} = unattended(rules);
	await expect(approve(command('x'))).rejects.toMatchObject({
		hint: 'Continue without it, and tell the user what you need.',
	});
	expect(notices()[0]?.[1]).toBe('Send the agent a message to be asked.');
});

test('rules and the mode still allow, and once the user joins they are asked', async () => {
	const byRule = unattended([], {judge: async () => ({effect: 'allow', by: [parseRule('run_command(npm test)')]})});
	expect(await byRule.approve(command('npm test'))).toEqual({allowed: true});
	const byMode = unattended([], {mode: () => 'all'});
	expect(await byMode.approve(command('npm test'))).toEqual({allowed: true});
	const {approve, joinUser, asked} = unattended([]);
	await expect(approve(command('npm test'))).rejects.toThrow('nobody was asked');
	joinUser();
	expect(await approve(command('npm test'))).toEqual({allowed: true});
	expect(asked()).toBe(1);
});
