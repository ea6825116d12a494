import {expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {createKnownSecrets} from '../../src/config/known-secrets.ts';
import {setKey} from '../../src/config/provider-keys.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {memoryKeychain} from './memory-keychain.ts';

const odd = 'correct-horse-battery';

test('a stored key is recognized, whatever it looks like [8]', async () => {
	const config = openConfig(temporaryHome());
	await setKey(config, 'custom', secret(odd), 'https://models.test/v1');
	const {find, hide} = createKnownSecrets(config, {});
	expect(await find(`my key is ${odd}.`)).toBe(true);
	expect(hide(`my key is ${odd}.`)).toBe('my key is ***.');
	expect(await find('a correct horse')).toBe(false);
	const colored = odd.replaceAll('-', '\u001B[31m-\u001B[m');
	expect(hide(`\u001B[1mone\nmy key is ${colored}\ntwo`)).toBe('\u001B[1mone\nmy key is ***\ntwo');
});

test('a key in the keychain is found by its last characters, and nothing else opens the keychain [8]', async () => {
	const {keychain, calls} = memoryKeychain();
	const config = openConfig(temporaryHome(), keychain);
	await setKey(config, 'openai', secret(odd));
	const {find, hide} = createKnownSecrets(openConfig(temporaryHome(), keychain), {});
	expect(await find('hello')).toBe(false);
	const own = createKnownSecrets(config, {});
	const before = calls.length;
	expect(await own.find('nothing of it')).toBe(false);
	expect(calls.length).toBe(before);
	expect(await own.find(`key ${odd}`)).toBe(true);
	expect(own.hide(`key ${odd}`)).toBe('key ***');
	expect(hide(`key ${odd}`)).toBe(`key ${odd}`);
});

test('a credential that is part of another leaves nothing of that [8]', () => {
	const {add, hide, own} = createKnownSecrets(openConfig(temporaryHome()), {});
	const [host, url] = ['db.example.com', 'postgres://app:pa55word@db.example.com/main'];
	add(secret(host));
	add(secret(url));
	expect(hide(`connecting to ${url} at ${host}`)).toBe('connecting to *** at ***');
	expect(own()).toEqual([url, host]);
});

test('keys from the environment and of known kinds are recognized, short ones are not', async () => {
	const {find, hide} = createKnownSecrets(openConfig(temporaryHome()), {GROQ_API_KEY: odd, CUSTOM_API_KEY: 'short'});
	expect(hide(`${odd} short ghp_${'aB3'.repeat(12)}`)).toBe('*** short ***');
	expect(await find('a short word')).toBe(false);
});
