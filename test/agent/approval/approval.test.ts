import {expect, test} from 'vitest';
import {createApprovals, type Decision, decideUnasked} from '../../../src/agent/approval/approval.ts';
import {runCalls} from '../../../src/agent/tool-turn.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {runOptions, scriptedModel} from '../scripted.ts';

const signal = new AbortController().signal;

function approvals(...decisions: readonly Decision[]) {
	const asked: string[] = [];
	const events: AgentEvent[] = [];
	const bind = createApprovals(async ({summary}) => {
		asked.push(summary);
		return decisions[asked.length - 1] ?? 'no';
	});
	const bound = bind({id: 'call', signal, emit: event => events.push(event)});
	const approve = async (subject: string) => {
		const act = {kind: 'read-secret', path: subject} as const;
		return (await bound({act, summary: `Read ${subject}?`, subject})).allowed;
	};
	return {approve, asked, events};
}

test('an answer for the session covers the same thing and nothing else', async () => {
	const {approve, asked} = approvals('session', 'once', 'no');
	expect([await approve('a'), await approve('a'), await approve('b'), await approve('b')]).toEqual([
		true,
		true,
		true,
		false,
	]);
	expect(asked).toEqual(['Read a?', 'Read b?', 'Read b?']);
});

test('two simultaneous questions for the same thing are asked once', async () => {
	const {approve, asked} = approvals('session');
	expect(await Promise.all([approve('a'), approve('a')])).toEqual([true, true]);
	expect(asked).toEqual(['Read a?']);
});

test('question and answer are events of the call with the hash of what is allowed', async () => {
	const tool: Tool = {
		name: 'peek',
		description: '',
		parameters: {},
		readOnly: true,
		run: async (_, {approve}) => {
			const act = {kind: 'read-secret', path: '/repo/.env'} as const;
			return `${(await approve({act, summary: 'Show .env?', subject: 'read /repo/.env'})).allowed}`;
		},
	};
	const options = {
		...runOptions({ask: scriptedModel().ask}),
		tools: [tool],
		approvals: createApprovals(async () => 'once'),
	};
	const events: AgentEvent[] = [];
	for await (const event of runCalls([{id: 'c1', name: 'peek', arguments: {}}], options)) {
		events.push(event);
	}

	expect(events).toMatchObject([
		{type: 'approval-request', id: 'c1', summary: 'Show .env?', hash: expect.stringMatching(/^[\da-f]{64}$/)},
		{type: 'approval-answer', id: 'c1', allowed: true},
		{type: 'tool-result', id: 'c1', output: 'true', failed: false},
	]);
	expect(new Set(events.flatMap(event => ('hash' in event ? [event.hash] : []))).size).toBe(1);
});

const change = {path: 'a.txt', added: 1, removed: 0, diff: '@@ -1 +1 @@\n+***'};
const exactChange = {...change, diff: '@@ -1 +1 @@\n+secret'};

test('the user sees the exact change, the journal the one without credentials [8]', async () => {
	const shown: unknown[] = [];
	const events: AgentEvent[] = [];
	const approve = createApprovals(async request => {
		shown.push(request.change);
		return 'once';
	})({id: 'call', signal, emit: event => events.push(event)});
	const request = {act: {kind: 'edit', path: '/repo/a.txt'}, summary: 'Change a.txt?', subject: 'x'} as const;
	expect(await approve({...request, change, exactChange})).toEqual({allowed: true});
	expect(shown).toEqual([exactChange]);
	expect(events[0]).toMatchObject({type: 'approval-request', kind: 'edit', change});
	expect(JSON.stringify(events)).not.toContain('+secret');
});

test('all edits of the session are allowed with one answer, but not those of secret files', async () => {
	const asked: string[] = [];
	const approve = createApprovals(async ({act}) => {
		asked.push(act.kind);
		return asked.length === 1 ? 'session' : 'no';
	})({id: 'call', signal, emit: () => {}});
	const ask = async (kind: 'edit' | 'edit-secret' | 'read-secret', subject: string) =>
		(await approve({act: {kind, path: subject}, summary: '', subject})).allowed;
	expect([
		await ask('edit', 'a'),
		await ask('edit', 'b'),
		await ask('edit-secret', 'c'),
		await ask('read-secret', 'd'),
	]).toEqual([true, true, false, false]);
	expect(asked).toEqual(['edit', 'edit-secret', 'read-secret']);
});

test.each([
	['never', [false, false, false]],
	['edits', [true, false, false]],
	['all', [true, true, true]],
] as const)(
	'without a user, --approve %s allows edits, edits of secret files and reading those: %j',
	async (mode, expected) => {
		const approve = createApprovals(decideUnasked(mode))({id: 'call', signal, emit: () => {}});
		const kinds = ['edit', 'edit-secret', 'read-secret'] as const;
		const answers = kinds.map(async kind => {
			const asked = approve({act: {kind, path: '/repo/a'}, summary: 'May I?', subject: kind});
			return (await asked.catch(() => ({allowed: false}))).allowed;
		});
		expect(await Promise.all(answers)).toEqual(expected);
	},
);

test('a model that nobody can allow something reads why, and which flag would', async () => {
	const approve = createApprovals(decideUnasked('never'))({id: 'call', signal, emit: () => {}});
	const act = {kind: 'edit', path: '/repo/a.txt'} as const;
	await expect(approve({act, summary: 'Change a.txt?', subject: 'x'})).rejects.toMatchObject({
		message: "Not allowed: Change a.txt? This run can't ask the user for approval.",
		hint: 'Continue without it, and tell the user that --approve edits allows it.',
	});
});
