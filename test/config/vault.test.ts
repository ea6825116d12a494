import {readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {forgetProfile, removeCredential, replaceTokens, saveProfile} from '../../src/config/profiles.ts';
import {removeKey, setKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {memoryKeychain} from './memory-keychain.ts';

const server = 'https://a.test';
const key = 'sk-0123456789abcdef';

function opened() {
	const home = temporaryHome();
	const far = memoryKeychain();
	return {...far, home, config: openConfig(home, far.keychain), text: () => readFileSync(home.configFile, 'utf8')};
}

const uuid = '[0-9a-f-]{36}';

test('the file has a reference, the keychain has the secret, and another process reads it [8]', async () => {
	const {config, keychain, entries, calls, home, text} = opened();
	await setKey(config, 'openai', secret(key));
	expect(text()).not.toContain(key);
	expect(JSON.parse(text()).keys.openai.key).toEqual({
		keychain: expect.stringMatching(new RegExp(`^key of openai ${uuid}$`)),
		last4: 'cdef',
	});
	expect([...entries.values()]).toEqual([key]);

	const other = openConfig(home, keychain);
	const held = other.read().keys['openai']?.key ?? secret('');
	expect([held.last4, String(held), JSON.stringify(held)]).toEqual(['cdef', '***', '"***"']);
	expect(calls).toEqual(['set']);
	expect((await other.open(held)).reveal()).toBe(key);
	expect((await other.open(held)).reveal()).toBe(key);
	expect(calls).toEqual(['set', 'get']);
	expect(() => held.reveal()).toThrow('before it was opened');
});

test('a secret that was just stored is not read from the keychain', async () => {
	const {config, calls} = opened();
	const stored = await setKey(config, 'openai', secret(key));
	expect(stored?.key && (await config.open(stored.key)).reveal()).toBe(key);
	expect(calls).toEqual(['set']);
});

test('a secret in the file is read, and moves to the keychain when its record is written', async () => {
	const {config, keychain, home, calls, entries, text} = opened();
	await saveProfile(openConfig(home), {name: 'lab', server, apiKey: secret(key)});
	const held = config.read().profiles['lab']?.apiKey ?? secret('');
	expect((await config.open(held)).reveal()).toBe(key);
	await saveSettings(config, {model: 'a/b'});
	expect([calls, text().includes(key)]).toEqual([[], true]);

	await saveProfile(openConfig(home, keychain), {name: 'lab', server, org: 'acme'});
	expect([...entries.values(), text().includes(key)]).toEqual([key, false]);
});

test('without a keychain the secret is in a private file, and the reason is reported once [10]', async () => {
	const {config, state, entries, text} = opened();
	state.fault = 'No system keychain found.';
	const told: string[] = [];
	const tokens = {accessToken: secret('access-0123456789'), refreshToken: secret('refresh-0123456789')};
	await saveProfile(config, {name: 'lab', server, ...tokens}, why => told.push(why));
	expect(told).toEqual(['No system keychain found.']);
	expect(text()).toContain('access-0123456789');
	expect(entries.size).toBe(0);
});

test('a replaced or removed secret is deleted from the keychain', async () => {
	const {config, entries} = opened();
	await setKey(config, 'openai', secret('sk-first-0123456789'));
	await setKey(config, 'openai', secret(key));
	expect([...entries.values()]).toEqual([key]);
	await removeKey(config, 'openai');
	expect(entries.size).toBe(0);

	const tokens = {accessToken: secret('access-1'), refreshToken: secret('refresh-1')};
	const {refreshToken = secret('')} = await saveProfile(config, {name: 'lab', server, ...tokens});
	const fresh = {accessToken: secret('access-2'), refreshToken: secret('refresh-2'), expiresAt: undefined};
	await replaceTokens(config, 'lab', refreshToken, fresh);
	expect([...entries.values()]).toEqual(['access-2', 'refresh-2']);
	await removeCredential(config, 'lab');
	expect(entries.size).toBe(0);
	await saveProfile(config, {name: 'lab', server, apiKey: secret(key)});
	await forgetProfile(config, 'lab');
	expect(entries.size).toBe(0);
});

test("a keychain that fails to delete doesn't stop the profile from being forgotten", async () => {
	const {config, state, entries} = opened();
	await setKey(config, 'openai', secret(key));
	state.fault = "The keychain didn't answer within 3 seconds.";
	const told: string[] = [];
	await removeKey(config, 'openai', why => told.push(why));
	expect([config.read().keys, told, entries.size]).toEqual([{}, [state.fault], 1]);
});

test('a lost entry is reported with what to do', async () => {
	const {config, entries, home, keychain} = opened();
	await setKey(config, 'openai', secret(key));
	entries.clear();
	const other = openConfig(home, keychain);
	await expect(other.open(other.read().keys['openai']?.key ?? secret(''))).rejects.toMatchObject({
		code: 'auth',
		message: 'The keychain no longer has the API key for openai.',
		hint: 'Store it again: `keys set openai`',
	});
});

test('reading a secret that another process replaced says to try again', async () => {
	const {config, home, keychain} = opened();
	await setKey(config, 'openai', secret(key));
	const other = openConfig(home, keychain);
	const before = other.read().keys['openai']?.key ?? secret('');
	await setKey(config, 'openai', secret('sk-next-0123456789'));
	await expect(other.open(before)).rejects.toMatchObject({code: 'conflict', hint: 'Try again.'});
});

test('a locked keychain is asked again, and only once for concurrent reads', async () => {
	const {config, home, keychain, calls, state} = opened();
	await setKey(config, 'openai', secret(key));
	const other = openConfig(home, keychain);
	const held = other.read().keys['openai']?.key ?? secret('');
	state.fault = "The keychain didn't answer within 3 seconds.";
	await expect(other.open(held)).rejects.toMatchObject({
		code: 'failed',
		message: "Can't read a secret from the keychain: the keychain didn't answer within 3 seconds.",
	});
	state.fault = undefined;
	const texts = await Promise.all([other.open(held), other.open(held)]);
	expect(texts.map(opened => opened.reveal())).toEqual([key, key]);
	expect(calls).toEqual(['set', 'get', 'get']);
});

test('a failed write of the file leaves nothing in the keychain', async () => {
	const {config, entries, home} = opened();
	await saveSettings(config, {});
	rmSync(home.configFile);
	writeFileSync(`${home.path}/target`, '{"version":1}');
	symlinkSync(`${home.path}/target`, home.configFile);
	await expect(setKey(config, 'openai', secret(key))).rejects.toMatchObject({code: 'failed'});
	expect(entries.size).toBe(0);
});

test('concurrent writes lose no reference and no entry [18]', async () => {
	const {home, keychain, entries} = opened();
	const names = Array.from({length: 8}, (_, index) => `p${index}`);
	await Promise.all(
		names.map(name => saveProfile(openConfig(home, keychain), {name, server, apiKey: secret(`key-of-${name}`)})),
	);
	const {profiles} = openConfig(home).read();
	const texts = names.map(name => entries.get(profiles[name]?.apiKey?.keychainEntry ?? ''));
	expect(texts).toEqual(names.map(name => `key-of-${name}`));
	expect(entries.size).toBe(names.length);
});

test.each([
	['keychain', {keychain: '', last4: ''}],
	['last4', {keychain: 'a', last4: 'longer'}],
	['no last4', {keychain: 'a'}],
	['a number', 7],
])('a reference with an invalid %s is rejected', (_name, mark) => {
	const {home, config} = opened();
	writeFileSync(home.configFile, JSON.stringify({version: 1, keys: {openai: {key: mark, savedAt: 'then'}}}));
	expect(() => config.read()).toThrow('Invalid configuration (keys.openai.key');
});
