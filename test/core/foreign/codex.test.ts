import {expect, test} from 'vitest';
import {readTranscript} from '../../../src/core/foreign/read-transcript.ts';
import {codex, eventsOf, item, leftOf, messagesOf, readLines, sessionId, spoke} from './transcripts.ts';

const meta = codex('session_meta', {
	id: sessionId,
	cwd: '/work/shop',
	cli_version: '0.137.0',
	model_provider: 'openai',
});
const context = codex('turn_context', {cwd: '/work/shop', model: 'gpt-5-codex'});

test('a conversation of Codex is one that the model goes on with: messages, calls and results', () => {
	const found = readLines(
		meta,
		spoke('developer', 'Be good.'),
		spoke('user', '<environment_context><cwd>/x</cwd></environment_context>'),
		spoke('user', 'List the files'),
		codex('event_msg', {type: 'user_message', message: 'List the files'}),
		context,
		item('reasoning', {summary: [{type: 'summary_text', text: 'Use ls.'}], encrypted_content: 'x'}),
		item('function_call', {name: 'shell', arguments: '{"command":["bash","-lc","ls"],"workdir":"/w"}', call_id: 'c1'}),
		item('function_call_output', {call_id: 'c1', output: '{"output":"a.ts\\n","metadata":{"exit_code":0}}'}),
		item('custom_tool_call', {name: 'apply_patch', input: '*** Begin Patch', call_id: 'c2', status: 'completed'}),
		item('custom_tool_call_output', {call_id: 'c2', output: 'Exit code: 1\nOutput:\nfailed'}),
		spoke('assistant', 'One file.'),
	);
	expect(found).toMatchObject({client: 'Codex', version: '0.137.0', id: sessionId, folder: '/work/shop', calls: 2});
	const model = 'openai/gpt-5-codex';
	expect(messagesOf(found)).toEqual([
		{role: 'user', text: 'List the files'},
		{
			role: 'assistant',
			model,
			parts: [
				{type: 'reasoning', text: 'Use ls.'},
				{type: 'tool-call', id: 'c1', name: 'run_command', arguments: {command: 'ls', workdir: '/w'}},
			],
		},
		{role: 'tool', callId: 'c1', name: 'run_command', output: 'a.ts\n', failed: false},
		{
			role: 'assistant',
			model,
			parts: [{type: 'tool-call', id: 'c2', name: 'apply_patch', arguments: {input: '*** Begin Patch'}}],
		},
		{role: 'tool', callId: 'c2', name: 'apply_patch', output: 'Exit code: 1\nOutput:\nfailed', failed: true},
		{role: 'assistant', model, parts: [{type: 'text', text: 'One file.'}]},
	]);
	expect(leftOf(found)).toEqual({instructions: 2, bookkeeping: 1});
});

const bare = [
	{id: sessionId, timestamp: '2025-08-18T01:16:13.522Z', instructions: null, git: {branch: 'main'}},
	{record_type: 'state'},
	{type: 'message', role: 'user', content: [{type: 'input_text', text: '<environment_context>\n<cwd>/old</cwd>'}]},
	{type: 'message', role: 'user', content: [{type: 'input_text', text: 'hello'}]},
	{type: 'local_shell_call', call_id: 'l1', action: {type: 'exec', command: ['ls', '-a']}},
	{type: 'function_call_output', call_id: 'l1', output: 'b'},
	{type: 'message', role: 'assistant', content: [{type: 'output_text', text: 'hi'}]},
];

test('versions of 2025 without envelopes are read, and the first one, which wrote one object', () => {
	const found = readLines(...bare);
	expect(found).toMatchObject({id: sessionId, folder: '/old', messages: 3, calls: 1});
	const inOne = {session: {id: sessionId, timestamp: '2025-04-18T01:16:13.522Z'}, items: bare.slice(2)};
	const oldest = readTranscript([{value: inOne}], '/x/rollout-2025-04-18.json');
	expect(oldest).toMatchObject({client: 'Codex', id: sessionId, messages: 3});
});

test('what was said is read from events where there are no items', () => {
	const found = readLines(
		meta,
		codex('event_msg', {type: 'user_message', message: 'Hi'}),
		codex('event_msg', {type: 'agent_reasoning', text: 'Greet.'}),
		codex('event_msg', {type: 'agent_message', message: 'Hello'}),
	);
	expect(messagesOf(found).map(({role}) => role)).toEqual(['user', 'assistant']);
});

test('turns that were rolled back are left out, an aborted one is interrupted, a compaction stays one', () => {
	const found = readLines(
		meta,
		spoke('user', 'First'),
		spoke('assistant', 'One'),
		codex('compacted', {message: 'It began.'}),
		spoke('user', 'Second'),
		spoke('assistant', 'Two'),
		codex('event_msg', {type: 'thread_rolled_back', num_turns: 1}),
		spoke('user', 'Third'),
		item('function_call', {name: 'exec_command', arguments: '{"cmd":"sleep 9"}', call_id: 'c'}),
		codex('event_msg', {type: 'turn_aborted', reason: 'interrupted'}),
	);
	expect(eventsOf(found, 'user-message').map(({text}) => text)).toEqual(['First', 'Third']);
	expect(eventsOf(found, 'run-end').at(-1)).toMatchObject({reason: 'interrupted'});
	expect(messagesOf(found)[0]).toMatchObject({text: expect.stringContaining('It began.')});
	expect(leftOf(found)).toEqual({branch: 2});
});

test('unknown items and wrong types are kept as text, and break nothing', () => {
	const junk = [null, 7, 'x', [], {}, [null], {type: 5}];
	const found = readLines(
		meta,
		spoke('user', 'Begin'),
		item('telepathy', {thought: 'deep'}),
		...junk.flatMap(value => [
			codex('response_item', value),
			codex('event_msg', value),
			codex('turn_context', value),
			codex('compacted', value),
			item('message', {role: 'user', content: value}),
			item('function_call', {name: value, arguments: value, call_id: value}),
			item('function_call_output', {call_id: value, output: value}),
			item('reasoning', {summary: value, content: value}),
		]),
	);
	expect(JSON.stringify(found.events)).toContain('telepathy');
	expect(messagesOf(found).length).toBeGreaterThan(0);
});
