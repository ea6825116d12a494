import {mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {isSettingKey, settingKeys, settingTable} from '../../../src/config/settings/setting-table.ts';
import {parseSetting, settingFault} from '../../../src/config/settings/setting-value.ts';
import {openUserSettings} from '../../../src/config/settings/user-settings.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

function place(text?: string) {
	const home = temporaryFolder();
	const file = join(home, 'settings.json');
	if (text !== undefined) {
		writeFileSync(file, text);
	}

	return {home, file, env: {SERVICE_HOME: home}};
}

test('a flag decides, then a variable, then the file, then the default', async () => {
	const {env} = place('{"compact_at": 60}');
	expect(openUserSettings(env).find('compact_at')).toEqual({value: 60, source: 'user file'});
	expect(openUserSettings(env, {compact_at: 70}).find('compact_at')).toEqual({value: 70, source: 'flag'});
	expect(openUserSettings(place().env).find('compact_at')).toEqual({value: 92, source: 'default'});
	const accessible = openUserSettings({...env, ACCESSIBLE: '1'}).find('accessible');
	expect(accessible).toEqual({value: true, source: 'environment'});
	expect(openUserSettings({...env, ACCESSIBLE: ''}).find('accessible').source).toBe('default');
});

test.each(['{"compact_at": "x"}', '{"compact_at": 12}', '[1]', 'nonsense', '', '"\\ud800"'])(
	'the default is in effect with %j in the file',
	text => {
		expect(openUserSettings(place(text).env).value('compact_at')).toBe(92);
	},
);

test('a byte order mark in front is no fault, and what is no JSON in UTF-8 is one', async () => {
	const marked = place('\uFEFF{"compact_at": 60}\r\n');
	const settings = openUserSettings(marked.env);
	expect([settings.value('compact_at'), settings.isBroken()]).toEqual([60, false]);
	await settings.save('compact_at', 61);
	expect(readFileSync(marked.file, 'utf8')).toBe('{\n\t"compact_at": 61\n}\n');
	const wide = place();
	writeFileSync(wide.file, '\uFEFF{"compact_at": 60}', 'utf16le');
	expect([wide, place()].map(({env}) => openUserSettings(env).isBroken())).toEqual([true, false]);
});

test('a file that is no file, too large or a link to one is no reason to stop', () => {
	const folder = place();
	mkdirSync(folder.file);
	expect(openUserSettings(folder.env).value('compact_at')).toBe(92);

	const large = place(`{"compact_at": 60, "note": "${'x'.repeat(70_000)}"}`);
	expect(openUserSettings(large.env).value('compact_at')).toBe(92);

	const linked = place();
	symlinkSync(place('{"compact_at": 60}').file, linked.file);
	expect(openUserSettings(linked.env).value('compact_at')).toBe(60);
});

test('saving changes one field, keeps the others and their indentation, and tells listeners', async () => {
	const {env, file} = place('{\n  "hooks": {},\n  "other": [1]\n}\n');
	const settings = openUserSettings(env);
	const heard: string[] = [];
	const remove = settings.onChange(key => heard.push(key));
	await settings.save('compact_at', 60);
	expect(readFileSync(file, 'utf8')).toBe('{\n  "hooks": {},\n  "other": [\n    1\n  ],\n  "compact_at": 60\n}\n');
	expect(settings.value('compact_at')).toBe(60);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	await settings.save('compact_at', undefined);
	expect(readFileSync(file, 'utf8')).not.toContain('compact_at');
	remove();
	await settings.save('compact_at', 61);
	expect(heard).toEqual(['compact_at', 'compact_at']);
});

test('an invalid value is not saved, and an invalid file not replaced', async () => {
	const {env, file} = place('{"hooks": ');
	const settings = openUserSettings(env);
	await expect(settings.save('compact_at', 3)).rejects.toThrow('compact_at must be at least 20.');
	await expect(settings.save('compact_at', 60)).rejects.toThrow(`${file} is not valid JSON.`);
	expect(readFileSync(file, 'utf8')).toBe('{"hooks": ');
});

test('whatever is typed or stands in the file is a valid value or has a fault', () => {
	fc.assert(
		fc.property(fc.constantFrom(...settingKeys), fc.string(), (key, text) => {
			const value = parseSetting(key, text);
			const fault = settingFault(key, value);
			expect(fault ?? 'must fit').toMatch(/^must /);
			if (fault === undefined) {
				expect(settingFault(key, JSON.parse(JSON.stringify(value)))).toBeUndefined();
			}
		}),
	);
	expect(parseSetting('keychain', 'constructor')).toBe('constructor');
	expect(isSettingKey('constructor')).toBe(false);
});

test('each setting has a valid default, or says what happens without a value', () => {
	for (const key of settingKeys) {
		const {default: fallback, unset} = settingTable[key];
		expect(fallback === undefined ? unset : settingFault(key, fallback) === undefined).toBeTruthy();
		expect(key).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
	}
});
