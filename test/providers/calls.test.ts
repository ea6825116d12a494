import {expect, test} from 'vitest';
import type {Message} from '../../src/core/session/message.ts';
import {acceptedId, acceptedName, callIds, finishWithCalls, toolCall} from '../../src/providers/calls.ts';
import {bodyFor, result, user} from './conversation.ts';
import {adapterOf} from './replay.ts';

test.each([
	['{"a":1}', {arguments: {a: 1}}],
	['', {arguments: {}}],
	['  ', {arguments: {}}],
	['null', {arguments: {}}],
	['{"a":', {arguments: {}, malformed: '{"a":'}],
	['[1]', {arguments: {}, malformed: '[1]'}],
	['"{}"', {arguments: {}, malformed: '"{}"'}],
	['{"a":1}{"a":1}', {arguments: {}, malformed: '{"a":1}{"a":1}'}],
])('the arguments %j are read or kept as malformed', (text, expected) => {
	expect(toolCall('id', 'f', text)).toEqual({type: 'tool-call', id: 'id', name: 'f', ...expected});
});

test('[24] arguments that are nested too deeply are malformed', () => {
	const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
	expect(toolCall('id', 'f', text)).toEqual({type: 'tool-call', id: 'id', name: 'f', arguments: {}, malformed: text});
});

test('a call without a name gets one, because vendors refuse it without', () => {
	expect(toolCall('id', '', '{}').name).toBe('unnamed');
});

test("ids stay the vendor's own if they are unique", () => {
	const call = {type: 'tool-call', id: 'old', name: 'f', arguments: {}} as const;
	const newId = callIds([{role: 'assistant', model: 'custom/m', parts: [{type: 'text', text: 'x'}, call]}]);
	const made = ['a', 'a', '', '', 'null', 'old', 'b'].map(newId);
	expect(made.map(id => (/^call_[\da-f]{24}$/.test(id) ? 'new' : id))).toEqual([
		'a',
		'new',
		'new',
		'new',
		'new',
		'new',
		'b',
	]);
	expect(new Set(made).size).toBe(made.length);
});

test('an id that a vendor would refuse is always replaced by the same one', () => {
	const nine = /^[a-zA-Z\d]{9}$/;
	expect(acceptedId('abcdefgh1', nine)).toBe('abcdefgh1');
	expect(acceptedId('functions.read:0', nine)).toMatch(nine);
	expect(acceptedId('functions.read:0', nine)).toBe(acceptedId('functions.read:0', nine));
	expect(acceptedId('functions.read:0', nine)).not.toBe(acceptedId('functions.read:1', nine));
});

test.each([
	['read_file', 'read_file'],
	['mcp__docs__get-page', 'mcp__docs__get-page'],
	['repo_browser.open', 'repo_browser_open'],
	['read file<|x|>', 'read_file__x__'],
	['1st', '_1st'],
	['-x', '_-x'],
	['x'.repeat(100), 'x'.repeat(64)],
])('a call of %j is sent as %j', (name, expected) => {
	expect(acceptedName(name)).toBe(expected);
});

test.each([
	['stop', 1, 'tool-calls'],
	['other', 2, 'other'],
	['stop', 0, 'stop'],
	['length', 1, 'length'],
	['content-filter', 1, 'content-filter'],
] as const)('%s with %d calls is %s', (reason, calls, expected) => {
	expect(finishWithCalls(reason, calls)).toBe(expected);
});

test.each(['anthropic', 'chat', 'gemini', 'openai-responses'])(
	'%s gets a call of a tool that no vendor would accept by another name, with its result',
	async format => {
		const name = 'repo_browser.open';
		const called = {type: 'tool-call', id: 'c1', name, arguments: {}} as const;
		const messages: readonly Message[] = [
			user('Open it.'),
			{role: 'assistant', model: 'groq/gpt-oss', parts: [called]},
			{...result('c1', 'Unknown tool.', true), name} as Message,
		];
		const sent = JSON.stringify(await bodyFor(await adapterOf(format), messages));
		expect(sent).toContain('repo_browser_open');
		expect(sent).not.toContain(name);
	},
);
