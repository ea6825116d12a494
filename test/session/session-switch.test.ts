import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {deferred} from '../../src/ui/opening/turns.ts';
import {finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const turns = () => new Promise(resolve => setTimeout(resolve, 5));

test('a message that is sent while a session ends belongs to the next one, and so does its answer', async () => {
	const {promise: passed, resolve: open} = deferred();
	const {conversation, logs, transcript} = scripted([[text('One.'), finish('stop')]], {endTools: () => passed});
	await conversation.send('first');
	const {session} = transcript();
	const switched = [conversation.start(), conversation.start()];
	await turns();
	const sent = conversation.send('second');
	await turns();
	open();
	await Promise.all([...switched, sent]);
	const said = (id: string) => logs.get(id)?.flatMap(({event}) => ('text' in event ? [event.text] : []));
	expect([said(session), said(transcript().session)]).toEqual([
		['first', 'One.'],
		['second', 'One.'],
	]);
	expect(logs.size).toBe(2);
});

test('a message that is sent while a fork fails belongs to the session that stays', async () => {
	const {promise: passed, resolve: open} = deferred();
	const readLog = () => passed.then(() => Promise.reject(new AppError('failed', 'The disk is broken.')));
	const {conversation, transcript} = scripted([[text('One.'), finish('stop')]], {readLog});
	await conversation.send('first');
	const {session} = transcript();
	const forked = expect(conversation.fork()).rejects.toThrow('The disk is broken.');
	const sent = conversation.send('second');
	open();
	await Promise.all([forked, sent]);
	expect(transcript()).toMatchObject({session, settled: [{text: 'first'}, {}, {text: 'second'}, {}]});
});
