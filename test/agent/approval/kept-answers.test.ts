import {expect, test} from 'vitest';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import type {Approval} from '../../../src/core/session/approval.ts';
import {approvalsOf} from '../scripted.ts';

const signal = new AbortController().signal;

test('what the user allowed for the session is refused once plan mode or a rule forbids it [14]', async () => {
	let mode: 'ask' | 'plan' = 'ask';
	let isDenied = false;
	const approvals = approvalsOf(async ({hash}) => ({allowed: true, hash, keep: 'session'}), {
		mode: () => mode,
		judge: async () =>
			isDenied ? {effect: 'deny', by: parseRule('fetch_url', 'deny')} : {effect: 'ask', suggestions: []},
	});
	const bound = approvals.startRun()({id: 'call', signal, emit: () => {}});
	const approve = (subject: string, asked: Approval['act']) => bound({act: asked, summary: 'May I?', subject});
	const act = {kind: 'fetch', url: 'http://127.0.0.1:1/', method: 'POST'} as const;
	expect(await approve('a', act)).toEqual({allowed: true});
	mode = 'plan';
	await expect(approve('a', act)).rejects.toThrow('Not allowed in plan mode');
	mode = 'ask';
	isDenied = true;
	await expect(approve('a', act)).rejects.toThrow("the user's rule “fetch_url” denies this");
	isDenied = false;
	expect(await approve('a', act)).toEqual({allowed: true});
});

test('a yes for the session may cover a subject that rules do not know, such as all services of a sandbox', async () => {
	const kept: unknown[] = [];
	const asked: string[] = [];
	const approvals = approvalsOf(
		async ({hash, summary}) => {
			asked.push(summary);
			return {allowed: true, hash, keep: 'session'};
		},
		{
			judge: async () => ({effect: 'ask', suggestions: ['fetch_url(127.0.0.1:1)']}),
			keep: async (scope, rules) => void kept.push({scope, rules}),
		},
	);
	const approve = approvals.startRun()({id: 'call', signal, emit: () => {}});
	for (const method of ['GET', 'POST', 'DELETE']) {
		const act = {kind: 'fetch', url: 'http://127.0.0.1:1/', method} as const;
		expect(await approve({act, summary: method, subject: 'sandbox 1', keepsSubject: true})).toEqual({allowed: true});
	}

	expect([asked, kept]).toEqual([['GET'], []]);
});
