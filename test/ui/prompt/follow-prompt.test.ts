import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openUserSettings} from '../../../src/config/settings/user-settings.ts';
import {defaultKeymap} from '../../../src/editor/keymap/keymap.ts';
import {followUserKeys} from '../../../src/ui/prompt/follow-prompt.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {handler, keys} from '../key-presses.ts';

test("the user's keys hold from the start and when they are set, and what is wrong with them is told", async () => {
	const home = temporaryFolder();
	const file = join(home, 'settings.json');
	writeFileSync(file, '{"keys": {"app.transcript": "alt+t", "prompt.undo": ["alt+u", "ctrl+c"]}}');
	const settings = openUserSettings({SERVICE_HOME: home});
	const {store, press, asked, prompt} = handler({text: 'hello'});
	const warned: (readonly (string | undefined)[])[] = [];
	const stop = await followUserKeys({store, program: {settings}, warn: (...given) => warned.push(given)});
	press('\u000f', '\u001bt', '!', '\u001bu');
	expect([asked, prompt()]).toEqual([['transcript'], 'hello']);
	const fault = `keys in ${file}: prompt.undo: “ctrl+c” always does what it does; its other keys are used.`;
	expect(warned).toEqual([[fault, 'All actions and keys: `keys-help`']]);

	await settings.save('keys', {'app.transcript': 'alt+r'});
	expect(store.getState().keymap.keys['app.transcript']).toEqual(['alt+r']);
	await settings.save('keys', undefined);
	expect(store.getState().keymap).toEqual(defaultKeymap);
	stop();
});

test('the Vim mode is on once the setting is saved: what is typed next is in it', async () => {
	const settings = openUserSettings({SERVICE_HOME: temporaryFolder()});
	const {store, press, prompt} = handler();
	const stop = await followUserKeys({store, program: {settings}, warn: text => expect.fail(text)});
	await settings.save('vim', true);
	press('one two', keys.escape, 'db');
	expect(prompt()).toBe('one o');
	await settings.save('vim', undefined);
	expect(store.getState().vim).toBe(undefined);
	stop();
});
