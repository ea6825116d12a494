import {expect, test} from 'vitest';
import {finish, text as say, scriptedModel} from '../../agent/scripted.ts';
import {temporaryFolder, temporaryHome} from '../../storage/temporary.ts';
import {runLinear, waitingModel} from './running-lines.ts';

/** A state folder and a working folder that apps share. */
const place = () => ({home: temporaryHome(), folder: temporaryFolder()});

test('what was typed without Enter is back in the next app: an empty line sends it', async () => {
	const where = place();
	const first = runLinear(undefined, where);
	await first.waitFor('> ');
	first.type('explain the lo');
	await first.end();

	const model = scriptedModel([say('It is a log.'), finish('stop')]);
	const {waitFor, type, text} = runLinear(model.ask, where);
	await waitFor('Your draft is back. Press Enter to send it, or type another message.\nexplain the lo\n> ');
	type('\n');
	await waitFor('It is a log.');
	expect(JSON.stringify(model.asked)).toContain('explain the lo');
	expect(text().split('explain the lo')).toHaveLength(3);
});

test('Ctrl+C clears a line without Enter as a shell does, says so, and quits only at the second press', async () => {
	const {waitFor, type, interrupt, text, status} = runLinear(scriptedModel([say('Yes.'), finish('stop')]).ask);
	await waitFor('> ');
	interrupt();
	await waitFor('\nLine cleared. Press Ctrl+C again to quit.\n> ');
	type('Hello\n');
	await waitFor('Yes.');
	await waitFor('Ready.');
	interrupt();
	await expect.poll(() => text().split('Line cleared.').length, {interval: 5}).toBe(3);
	interrupt();
	expect(await status).toBe(0);
});

test('a draft that another message replaced, or that has a key, is not kept [11]', async () => {
	const where = place();
	const first = runLinear(scriptedModel([say('Yes.'), finish('stop')]).ask, where);
	await first.waitFor('> ');
	first.type('half');
	await first.end();
	const second = runLinear(scriptedModel([say('Yes.'), finish('stop')]).ask, where);
	await second.waitFor('Your draft is back.');
	second.type('Another\n');
	await second.waitFor('Yes.');
	second.type('use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789');
	await second.end();
	const third = runLinear(undefined, where);
	await third.waitFor('> ');
	expect(third.text()).not.toContain('draft');
});

test('a message that was queued when a run was interrupted is sent by Enter, and survives the app', async () => {
	const where = place();
	const {ask} = waitingModel();
	const first = runLinear(ask, where);
	await first.waitFor('> ');
	first.type('First\n');
	await first.waitFor('Working');
	first.type('Second\n');
	await expect.poll(() => first.store.getState().queue.length, {interval: 10}).toBe(1);
	first.interrupt();
	await first.waitFor('Not sent: Second\nPress Enter to send it, or type another message.');
	await first.end();
	await runLinear(undefined, where).waitFor('Your draft is back.');
});
