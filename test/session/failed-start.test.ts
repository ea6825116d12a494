import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

test('a run that can’t start fails for its sender alone: the next session begins all the same', async () => {
	let fail = (_: Error) => {};
	const hooks = new Promise<undefined>((_, reject) => {
		fail = reject;
	});
	const {conversation, transcript, model} = scripted([[text('Hi.'), finish('stop')]], {
		loadHooks: session => (session === 'id-1' ? hooks : Promise.resolve(undefined)),
	});
	const sent = conversation.send('first');
	const started = conversation.start();
	fail(new AppError('failed', 'settings.json is invalid.'));
	await expect(sent).rejects.toThrow('settings.json is invalid.');
	await started;
	expect(transcript().session).not.toBe('id-1');
	await conversation.send('second');
	expect(model.asked).toHaveLength(1);
});
