import {expect, test} from 'vitest';
import {createUpdateEvents} from '../../../src/agent/external/update-events.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';

/** Returns the events that the updates of one run become. */
async function eventsOf(updates: readonly JsonObject[]): Promise<readonly AgentEvent[]> {
	const events: AgentEvent[] = [];
	let ids = 0;
	const {follow, end} = createUpdateEvents({
		newId: () => `id-${++ids}`,
		folder: '/work',
		emit: event => events.push(event),
		images: undefined,
		clock: () => 0,
	});
	for (const update of updates) {
		follow(update);
	}

	await end();
	return events;
}

const call = (toolCallId: string, rest: JsonObject): JsonObject => ({sessionUpdate: 'tool_call', toolCallId, ...rest});
const more = (toolCallId: string, rest: JsonObject): JsonObject => ({
	sessionUpdate: 'tool_call_update',
	toolCallId,
	...rest,
});
const text = (words: string) => [{type: 'content', content: {type: 'text', text: words}}];

test('what an agent sends of a call after its end begins no other call, and what it adds is said', async () => {
	const ended = [
		call('a', {title: 'Read a.txt', kind: 'read', status: 'in_progress'}),
		more('a', {status: 'completed', content: text('alpha')}),
	];
	const before = await eventsOf(ended);
	const repeated: readonly JsonObject[] = [
		{_meta: {tool: 'Read'}},
		{status: 'completed'},
		{status: 'completed', content: text('alpha')},
	];
	for (const late of repeated) {
		expect(await eventsOf([...ended, more('a', late)])).toEqual(before);
	}

	const added = await eventsOf([
		...ended,
		more('a', {content: text('beta')}),
		more('a', {rawOutput: {stdout: 'gamma'}}),
	]);
	expect(added.map(event => ('text' in event ? event.text : event.type))).toEqual([
		'tool-call',
		'tool-result',
		'The agent sent more of a call that had ended: beta',
		'The agent sent more of a call that had ended: gamma',
	]);
	const again = await eventsOf([...ended, ...ended]);
	expect(again.filter(({type}) => type === 'tool-result')).toHaveLength(2);
});

test('an update of a call that was never begun begins it, unless it says nothing of it', async () => {
	expect(await eventsOf([more('b', {status: 'completed'}), more('b', {_meta: {x: 1}})])).toEqual([]);
	expect(await eventsOf([more('b', {title: 'Look', status: 'completed'})])).toMatchObject([
		{type: 'tool-call', words: {verb: 'Call', subject: 'Look'}},
		{type: 'tool-result', failed: false},
	]);
});

test('a terminal that an agent names, though it has none of ours, hides nothing of its result', async () => {
	const terminal = [{type: 'terminal', terminalId: 't'}];
	const events = await eventsOf([
		call('c', {title: 'ls', kind: 'execute', content: terminal}),
		more('c', {status: 'completed', content: terminal, rawOutput: {stdout: 'a.txt'}}),
	]);
	expect(events.map(({type}) => type)).toEqual(['tool-call', 'tool-result']);
	expect(events.at(-1)).toMatchObject({output: 'a.txt'});
});
