import {expect, test} from 'vitest';
import {acceptedId, callIds, finishWithCalls, toolCall} from '../../src/providers/calls.ts';

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
	['stop', 1, 'tool-calls'],
	['other', 2, 'other'],
	['stop', 0, 'stop'],
	['length', 1, 'length'],
	['content-filter', 1, 'content-filter'],
] as const)('%s with %d calls is %s', (reason, calls, expected) => {
	expect(finishWithCalls(reason, calls)).toBe(expected);
});
