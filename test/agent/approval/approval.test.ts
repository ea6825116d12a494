import {expect, test} from 'vitest';
import {createApprovals, type Decision} from '../../../src/agent/approval/approval.ts';
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
	const approve = (subject: string) =>
		bind({id: 'call', signal, emit: event => events.push(event)})({summary: `Read ${subject}?`, subject});
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
		run: async (_, {approve}) => `${await approve({summary: 'Show .env?', subject: 'read /repo/.env'})}`,
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
