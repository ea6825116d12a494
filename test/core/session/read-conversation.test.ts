import {expect, test} from 'vitest';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {
	answered,
	called,
	done,
	folded,
	reduceAll,
	said,
	start,
	thought,
	toRecords,
	transcriptOf,
	user,
} from '../records.ts';

const model = 'custom/demo';

test('a turn becomes one assistant message, its parts in order, then an answer for each call', () => {
	const transcript = transcriptOf(
		start,
		user('Read both'),
		thought('Two files.'),
		said('I read them.'),
		called('one'),
		called('two'),
		answered('two', 'second'),
		answered('one', 'first'),
		said('Done.', 'm2'),
		done,
	);
	expect(toMessages(transcript)).toEqual([
		{role: 'user', text: 'Read both'},
		{
			role: 'assistant',
			model,
			parts: [
				{type: 'reasoning', text: 'Two files.'},
				{type: 'text', text: 'I read them.'},
				{type: 'tool-call', id: 'one', name: 'read_file', arguments: {path: 'one'}},
				{type: 'tool-call', id: 'two', name: 'read_file', arguments: {path: 'two'}},
			],
		},
		{role: 'tool', callId: 'one', name: 'read_file', output: 'first', failed: false},
		{role: 'tool', callId: 'two', name: 'read_file', output: 'second', failed: false},
		{role: 'assistant', model, parts: [{type: 'text', text: 'Done.'}]},
	]);
});

test('a call without a result is answered with a sentence that says so, and never run again [17]', () => {
	const interrupted = transcriptOf(
		start,
		called('one'),
		{type: 'tool-output', id: 'one', text: 'half'},
		{type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'},
		user('Go on'),
	);
	expect(toMessages(interrupted).slice(1)).toEqual([
		{
			role: 'tool',
			callId: 'one',
			name: 'read_file',
			output: 'This call was interrupted before it had a result.',
			failed: true,
		},
		{role: 'user', text: 'Go on'},
	]);
});

test('a failed call is answered with what went wrong', () => {
	expect(toMessages(transcriptOf(start, called('one'), answered('one', 'No such file.', true))).at(-1)).toEqual({
		role: 'tool',
		callId: 'one',
		name: 'read_file',
		output: 'No such file.',
		failed: true,
	});
});

test('after a compaction the model reads the summary and what came after it', () => {
	const transcript = transcriptOf(user('Old'), said('Forgotten'), folded('We said hello.'), user('New'));
	expect(toMessages(transcript)).toEqual([
		{role: 'user', text: expect.stringMatching(/^\[The conversation so far was compacted[\s\S]*\n\nWe said hello\.$/)},
		{role: 'user', text: 'New'},
	]);
});

test("notices and endings are not sent, and don't split a message", () => {
	const transcript = transcriptOf(
		start,
		said('One'),
		{type: 'notice', level: 'info', text: 'Trying again.'},
		said('Two', 'm1', 't2'),
		{type: 'run-end', reason: 'error', stopReason: 'error'},
	);
	expect(toMessages(transcript)).toEqual([
		{
			role: 'assistant',
			model,
			parts: [
				{type: 'text', text: 'One'},
				{type: 'text', text: 'Two'},
			],
		},
	]);
});

test('a blank text is left out, unless the vendor needs its opaque item', () => {
	const opaque = {wire: 'gemini', data: 'signature'};
	expect(toMessages(transcriptOf(start, said('')))).toEqual([]);
	expect(toMessages(transcriptOf(start, {type: 'text-delta', id: 't', messageId: 'm', text: '', opaque}))).toEqual([
		{role: 'assistant', model, parts: [{type: 'text', text: '', opaque}]},
	]);
});

test('the messages of blocks that stay the same are the same objects after a later turn', () => {
	const turn = [start, user('Read it'), called('one'), answered('one', 'first'), said('Done.', 'm2'), done];
	const before = transcriptOf(...turn);
	const messages = toMessages(before);
	const next = [start, user('Go on'), said('Gone on.', 'm3'), done];
	const after = reduceAll(toRecords(next, 'local', turn.length), before);
	const later = toMessages(after);
	expect(later).toHaveLength(messages.length + 2);
	expect(messages.map((message, index) => message === later[index])).toEqual(messages.map(() => true));
});
