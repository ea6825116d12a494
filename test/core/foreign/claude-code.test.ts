import {beforeEach, expect, test} from 'vitest';
import {
	answered,
	asked,
	beginClaude,
	claude,
	eventsOf,
	leftOf,
	messagesOf,
	readLines,
	result,
	sessionId,
} from './transcripts.ts';

beforeEach(beginClaude);

const calls = (...ids: readonly string[]) =>
	ids.map(id => ({type: 'tool_use', id, name: 'Bash', input: {command: `echo ${id}`}}));

test('a conversation of Claude Code is one that the model goes on with: messages, calls and results', () => {
	const found = readLines(
		{type: 'file-history-snapshot', messageId: 'm', snapshot: {}},
		asked('Fix the parser'),
		answered([{type: 'thinking', thinking: 'Look first.', signature: 'x'}], 'm1'),
		answered([{type: 'text', text: 'I read it.'}], 'm1'),
		answered([{type: 'tool_use', id: 't1', name: 'Read', input: {file_path: '/work/shop/a.ts', limit: 5}}], 'm1'),
		result('t1', [{type: 'text', text: 'const a = 1;'}]),
		answered([{type: 'text', text: 'Done.'}], 'm2'),
		asked([{type: 'text', text: 'Thanks'}]),
		{type: 'ai-title', aiTitle: 'Parser fix', sessionId},
	);
	expect(found).toMatchObject({client: 'Claude Code', version: '2.1.63', id: sessionId, folder: '/work/shop'});
	expect(found).toMatchObject({title: 'Parser fix', messages: 4, calls: 1});
	expect(messagesOf(found)).toEqual([
		{role: 'user', text: 'Fix the parser'},
		{
			role: 'assistant',
			model: 'anthropic/claude-opus-4-6',
			parts: [
				{type: 'reasoning', text: 'Look first.'},
				{type: 'text', text: 'I read it.'},
				{type: 'tool-call', id: 't1', name: 'read_file', arguments: {path: '/work/shop/a.ts', limit: 5}},
			],
		},
		{role: 'tool', callId: 't1', name: 'read_file', output: 'const a = 1;', failed: false},
		{role: 'assistant', model: 'anthropic/claude-opus-4-6', parts: [{type: 'text', text: 'Done.'}]},
		{role: 'user', text: 'Thanks'},
	]);
	expect(leftOf(found)).toEqual({bookkeeping: 1});
});

test('calls that were made at the same time keep their results, though these are branches of the tree', () => {
	const found = readLines(
		asked('Go'),
		answered(calls('a'), 'm1'),
		answered(calls('b'), 'm1'),
		result('a', 'A', {parentUuid: 'u2'}),
		result('b', 'B', {parentUuid: 'u3'}),
		answered([{type: 'text', text: 'Both.'}], 'm2', {parentUuid: 'u5'}),
	);
	expect(messagesOf(found).map(message => ('output' in message ? message.output : message.role))).toEqual([
		'user',
		'assistant',
		'A',
		'B',
		'assistant',
	]);
	expect(leftOf(found)).toEqual({});
});

test('what the user took back, and what sub-agents said, is left out and counted', () => {
	const found = readLines(
		asked('First'),
		answered([{type: 'text', text: 'One'}], 'm1'),
		asked('Wrong'),
		answered([{type: 'text', text: 'Oh'}], 'm2'),
		asked('Right', {parentUuid: 'u2'}),
		asked('Find it', {isSidechain: true, parentUuid: null}),
		answered([{type: 'text', text: 'Two'}], 'm3', {parentUuid: 'u5'}),
	);
	expect(eventsOf(found, 'user-message').map(({text}) => text)).toEqual(['First', 'Right']);
	expect(leftOf(found)).toEqual({branch: 2, agents: 1});
});

test('a compaction stays one: the model reads its summary, the screen everything', () => {
	const found = readLines(
		asked('First'),
		answered([{type: 'text', text: 'One'}], 'm1'),
		claude('system', undefined, {
			subtype: 'compact_boundary',
			parentUuid: null,
			logicalParentUuid: 'u2',
			content: 'Conversation compacted',
		}),
		asked('Summary: it was first.', {isCompactSummary: true, isVisibleInTranscriptOnly: true}),
		asked('Second'),
		answered([{type: 'text', text: 'Two'}], 'm2'),
	);
	expect(eventsOf(found, 'user-message')).toHaveLength(2);
	const [summary, ...others] = messagesOf(found);
	expect(summary).toMatchObject({role: 'user', text: expect.stringContaining('Summary: it was first.')});
	expect(others.map(({role}) => role)).toEqual(['user', 'assistant']);
});

test('a cycle, a missing parent and lines without ids end in the order of the file', () => {
	const cycle = readLines(
		asked('First', {uuid: 'x', parentUuid: 'y'}),
		answered([{type: 'text', text: 'One'}], 'm1', {uuid: 'y', parentUuid: 'x'}),
		asked('Again', {parentUuid: 'nowhere'}),
	);
	expect(eventsOf(cycle, 'user-message').map(({text}) => text)).toEqual(['First', 'Again']);
	const bare = readLines(
		{type: 'user', sessionId, message: {role: 'user', content: 'Hi'}},
		{type: 'assistant', sessionId, message: {role: 'assistant', content: [{type: 'text', text: 'Hello'}]}},
	);
	expect(messagesOf(bare).map(({role}) => role)).toEqual(['user', 'assistant']);
});

test('what is not understood is kept as text, and counted by what it is', () => {
	const found = readLines(
		asked([
			{type: 'text', text: 'Look'},
			{type: 'image', source: {}},
			{type: 'hologram', data: 'H'},
		]),
		answered(
			[
				{type: 'server_tool_use', id: 's', name: 'web_search'},
				{type: 'text', text: 'Seen'},
			],
			'm1',
		),
		{type: 'aurora', note: 'a new kind', sessionId},
		result('nobody', 'lost and found'),
		asked('Next'),
	);
	const text = JSON.stringify(found.events);
	for (const kept of ['hologram', 'server_tool_use', 'a new kind', 'lost and found']) {
		expect(text).toContain(kept);
	}

	expect(leftOf(found)).toEqual({
		image: 1,
		hologram: 1,
		server_tool_use: 1,
		'line of type aurora': 1,
		'result without its call': 1,
	});
});

test('wrong types anywhere break nothing', () => {
	const junk = [null, 7, true, 'x', [], [null], {}, {type: 5}, [[1]]];
	const found = readLines(
		asked('Begin'),
		...junk.flatMap(value => [
			asked(value),
			answered(value, 'm'),
			claude('user', value),
			claude('system', value),
			claude('attachment', value, {attachment: value}),
			asked('x', {timestamp: value, cwd: value, version: value, isSidechain: value, toolUseResult: value}),
			answered([{type: 'tool_use', id: value, name: value, input: value}], 'n'),
			{type: value},
		]),
	);
	expect(found.messages).toBeGreaterThan(1);
	expect(messagesOf(found).length).toBeGreaterThan(1);
});

test('edits keep their change, and what the client wrote is no message of the user', () => {
	const found = readLines(
		asked('<local-command-stdout>ok</local-command-stdout>'),
		asked('<command-name>/review</command-name>\n<command-args>the diff</command-args>'),
		answered(
			[{type: 'tool_use', id: 'e', name: 'Edit', input: {file_path: 'a', old_string: '1', new_string: '2'}}],
			'm1',
		),
		result('e', 'ok', {
			toolUseResult: {
				filePath: 'a',
				structuredPatch: [{oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-1', '+2']}],
			},
		}),
		asked([{type: 'text', text: '[Request interrupted by user]'}]),
	);
	expect(eventsOf(found, 'user-message').map(({text}) => text)).toEqual(['/review the diff']);
	expect(eventsOf(found, 'attachment')).toMatchObject([{name: 'note of Claude Code'}]);
	expect(eventsOf(found, 'tool-call')).toMatchObject([
		{name: 'edit_file', arguments: {path: 'a', edits: [{old_text: '1', new_text: '2'}]}},
	]);
	expect(eventsOf(found, 'tool-result')).toMatchObject([
		{change: {path: 'a', added: 1, removed: 1, diff: '@@ -1,1 +1,1 @@\n-1\n+2'}},
	]);
	expect(eventsOf(found, 'run-end')).toMatchObject([{reason: 'interrupted'}]);
});
