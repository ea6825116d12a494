import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {finish, text} from '../agent/scripted.ts';
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
