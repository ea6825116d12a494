import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Message} from '../../../src/core/session/message.ts';
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

test('a command that was interrupted is answered with the end of its output', () => {
	const run = {...called('one'), name: 'run_command'};
	const of = (text: string) =>
		toMessages(
			transcriptOf(
				start,
				run,
				{type: 'tool-output', id: 'one', text},
				{
					type: 'run-end',
					reason: 'interrupted',
					stopReason: 'incomplete',
				},
			),
		).at(-1);
	const said = 'This call was interrupted before it had a result.';
	expect(of('half\n')).toMatchObject({output: `${said} The end of its output:\nhalf`, failed: true});
	expect(of(' \n')).toMatchObject({output: said});
	expect(of(`${'x'.repeat(5000)}😀${'y'.repeat(3999)}`)).toMatchObject({
		output: `${said} The end of its output:\n${'y'.repeat(3999)}`,
	});
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

test('messages up to the last answer are the same objects after later turns', () => {
	let transcript = transcriptOf(start, user('Read it'), called('one'), answered('one'), said('Done.', 'm2'), done);
	let messages = toMessages(transcript);
	for (const turn of ['m3', 'm4', 'm5']) {
		const events = [start, user('Go on', `u-${turn}`), said('Gone on.', turn), done];
		transcript = reduceAll(toRecords(events, 'local', transcript.seq + 1), transcript);
		const later = toMessages(transcript);
		expect(later).toHaveLength(messages.length + 2);
		expect(later.slice(0, messages.length - 1)).toSatisfy((kept: readonly Message[]) =>
			kept.every((message, index) => message === messages[index]),
		);
		messages = later;
	}
});

/** What happens in a session, with ids that nothing else has: `at` is its place. */
const step = fc.constantFrom<(at: number) => readonly AgentEvent[]>(
	at => [
		user('Read', `u${at}`),
		{type: 'attachment', id: `u${at}`, name: 'a', text: `a${at}`, tokens: 1, source: 'file'},
	],
	at => [user('Go on', `u${at}`)],
	at => [
		{type: 'user-command', id: `c${at}`, command: 'ls'},
		{type: 'user-command-end', id: `c${at}`, output: `${at}`, end: 'exit 0', milliseconds: 1, status: 'done'},
		start,
		{type: 'user-message', id: `u${at}`, text: 'See', commands: [`c${at}`]},
	],
	at => [said(`said ${at}`, `m${at}`)],
	() => [said('more', 'm')],
	at => [thought('', `m${at}`)],
	at => [called(`t${at}`, `m${at}`), answered(`t${at}`)],
	at => [called(`t${at}`, 'm')],
	() => [start],
	() => [done],
	() => [
		{type: 'run-end', reason: 'error', stopReason: 'error', refused: true, error: {code: 'provider', message: 'No'}},
	],
	at => [{...folded(`summary ${at}`, `f${at}`), pinned: [`m${at - 1}`], carried: [`u${at - 1}`]} as AgentEvent],
	at => [{type: 'compaction-undo', id: `f${at - 2}`}],
	() => [{type: 'notice', level: 'info', text: 'A note'}],
);

test('a session that grows is read as one that nobody has read before', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(step, fc.boolean()), {maxLength: 12}), steps => {
			let transcript = transcriptOf(start);
			for (const [at, [eventsAt, isRead]] of steps.entries()) {
				transcript = reduceAll(toRecords(eventsAt(at), 'local', transcript.seq + 1), transcript);
				if (isRead) {
					expect(toMessages(transcript)).toEqual(toMessages(structuredClone(transcript)));
				}
			}
		}),
		{numRuns: 1000},
	);
});
