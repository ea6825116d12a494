import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {call, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const restore: Extract<AgentEvent, {type: 'restore'}> = {
	...{type: 'restore', id: 'r1', how: 'undo', before: 'b', after: 'a', steps: [], paths: ['a.txt'], count: 1},
};

test('a fork holds everything so far in a session of its own, and the old one stays', async () => {
	const {conversation, transcript, records} = scripted([[text('One.'), finish('stop')]]);
	await conversation.send('first');
	const old = transcript();
	await conversation.fork();
	expect(transcript().session).not.toBe(old.session);
	expect(blocksOf(transcript())).toEqual(blocksOf(old));
	await conversation.send('second');
	expect(records().filter(({session}) => session === old.session)).toHaveLength(4);
});

test('the model reads that the user took changes back, before their next message', async () => {
	const {conversation, model} = scripted([[text('One.'), finish('stop')]]);
	await conversation.send('first');
	conversation.restored(restore);
	conversation.restored({...restore, id: 'r2', paths: [], count: 0});
	await conversation.send('second');
	expect(model.asked[1]?.map(message => ('text' in message ? message.text : message.role))).toEqual([
		'first',
		'assistant',
		expect.stringContaining('Undid changes to 1 file: a.txt. These files are as they were before. Read them again'),
		'second',
	]);
});

test('a fork before a message that joined a run is idle, and has what the run did before it', async () => {
	let join = () => {};
	const joined = new Promise<void>(resolve => {
		join = resolve;
	});
	const {conversation, transcript, store, model} = scripted([
		[text('One.'), joined, call('echo', {word: 'x'}), finish('tool-calls')],
		[text('Two.'), finish('stop')],
	]);
	const run = conversation.send('first');
	await expect.poll(() => model.asked).toHaveLength(1);
	void conversation.send('second');
	join();
	await run;
	const second = blocksOf(transcript()).findLast(block => block.kind === 'user');
	expect(second).toMatchObject({text: 'second'});
	await conversation.fork(second?.kind === 'user' ? second.id : '');
	expect(blocksOf(transcript()).map(({kind}) => kind)).toEqual(['user', 'text', 'tool', 'end']);
	expect(transcript().run).toBeUndefined();
	expect(store.getState().queue).toEqual([]);
});

test('a fork of a session whose program was killed during a run is idle', async () => {
	const {conversation, transcript, logs} = scripted([[text('One.'), finish('stop')]]);
	await conversation.send('first');
	const records = logs.get(transcript().session) ?? [];
	expect(records.pop()?.event.type).toBe('run-end');
	await conversation.fork();
	expect(transcript().run).toBeUndefined();
	expect(blocksOf(transcript()).map(({kind, open}) => [kind, open])).toEqual([
		['user', false],
		['text', false],
		['end', false],
	]);
});
