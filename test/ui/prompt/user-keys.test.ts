import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openUserSettings} from '../../../src/config/settings/user-settings.ts';
import {defaultKeymap} from '../../../src/editor/keymap/keymap.ts';
import {followUserKeys} from '../../../src/ui/prompt/user-keys.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {handler} from '../key-presses.ts';

test("the user's keys hold from the start and when they are set, and what is wrong with them is told", async () => {
	const home = temporaryFolder();
	const file = join(home, 'settings.json');
	writeFileSync(file, '{"keys": {"app.transcript": "alt+t", "prompt.undo": ["alt+u", "ctrl+c"]}}');
	const settings = openUserSettings({SERVICE_HOME: home});
	const {store, press, asked, prompt} = handler({text: 'hello'});
	const warned: string[] = [];
	const stop = await followUserKeys({store, program: {settings}, warn: text => warned.push(text)});
	press('\u000f', '\u001bt', '!', '\u001bu');
	expect([asked, prompt()]).toEqual([['transcript'], 'hello']);
	expect(warned).toEqual([`keys in ${file}: prompt.undo: “ctrl+c” always does what it does; its other keys are used.`]);

	await settings.save('keys', {'app.transcript': 'alt+r'});
	await expect.poll(() => store.getState().keymap.keys['app.transcript']).toEqual(['alt+r']);
	await settings.save('keys', undefined);
	await expect.poll(() => store.getState().keymap).toBe(defaultKeymap);
	stop();
});
