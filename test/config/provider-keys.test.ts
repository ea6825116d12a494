import {expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {listKeys, removeKey, resolveKey, setKey} from '../../src/config/provider-keys.ts';
import {type ProviderName, providerRows} from '../../src/core/provider-rows.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {temporaryHome} from '../storage/temporary.ts';

const stored = secret('stored-0123456789');

/** Resolves with one stored key, or none, and shows the key that would go out. */
async function resolved(provider: ProviderName, env: Record<string, string>, keep?: {key?: boolean; baseUrl?: string}) {
	const config = openConfig(temporaryHome());
	if (keep) {
		await setKey(config, provider, keep.key === false ? undefined : stored, keep.baseUrl);
	}

	const found = resolveKey(provider, {data: config.read(), env, row: providerRows[provider]});
	return found && {...found, key: found.key?.reveal()};
}

test('a stored key goes to the vendor, or to the base URL it was stored with [6]', async () => {
	const vendor = {key: 'stored-0123456789', baseUrl: 'https://api.openai.com/v1', source: 'file'};
	expect(await resolved('openai', {}, {})).toEqual(vendor);
	expect(await resolved('openai', {}, {baseUrl: 'https://gate.test/v1/'})).toEqual({
		...vendor,
		baseUrl: 'https://gate.test/v1',
	});
});

test('a base URL from the environment never gets a stored key [6]', async () => {
	expect(await resolved('openai', {OPENAI_BASE_URL: 'https://evil.test/v1'}, {})).toEqual({
		key: 'stored-0123456789',
		baseUrl: 'https://api.openai.com/v1',
		source: 'file',
		notice:
			'OPENAI_BASE_URL is ignored: the stored key may only go to https://api.openai.com/v1. Set OPENAI_API_KEY too.',
	});
});

test('a base URL from the environment replaces a stored one that has no key', async () => {
	const local = {CUSTOM_BASE_URL: 'http://localhost:9/v1'};
	const keep = {key: false, baseUrl: 'http://localhost:1/v1'};
	expect(await resolved('custom', local, keep)).toEqual({
		...{key: undefined, baseUrl: 'http://localhost:9/v1', source: 'from env'},
	});
	expect(await resolved('ollama', {OLLAMA_BASE_URL: 'http://localhost:9/v1'}, {key: false})).toMatchObject({
		...{key: undefined, baseUrl: 'http://localhost:9/v1'},
	});
});

test.each([
	['custom', 'file', 'the stored key may only go to http://localhost:1/v1. Set CUSTOM_API_KEY too.'],
	['ollama', 'file', 'the stored key may only go to http://localhost:1/v1. Remove that key: `keys remove ollama`'],
	['groq', 'file', 'the stored key may only go to http://localhost:1/v1. Set GROQ_API_KEY too.'],
] as const)('[6] a base URL of %s that is ignored says why', async (provider, source, why) => {
	const {baseVariable} = providerRows[provider];
	const keep = {key: source !== undefined, baseUrl: 'http://localhost:1/v1'};
	const found = await resolved(provider, {[baseVariable]: 'https://far.test/v1'}, keep);
	expect(found?.baseUrl).toBe('http://localhost:1/v1');
	expect(found?.notice).toBe(`${baseVariable} is ignored: ${why}`);
});

test('the environment wins as a whole and never uses the stored base URL [6]', async () => {
	const keep = {baseUrl: 'https://gate.test/v1'};
	const env = {OPENAI_API_KEY: ' env-key '};
	expect(await resolved('openai', env, keep)).toEqual({
		key: 'env-key',
		baseUrl: 'https://api.openai.com/v1',
		source: 'from env',
		variable: 'OPENAI_API_KEY',
	});
	expect(await resolved('openai', {...env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/'}, keep)).toEqual({
		key: 'env-key',
		baseUrl: 'http://127.0.0.1:9/v1',
		source: 'from env',
		variable: 'OPENAI_API_KEY',
	});
});

test('the first variable that is set counts, and an empty one is not set', async () => {
	expect(await resolved('google', {GOOGLE_API_KEY: '', GEMINI_API_KEY: 'gemini'})).toMatchObject({key: 'gemini'});
	expect(await resolved('google', {GOOGLE_API_KEY: 'google', GEMINI_API_KEY: 'gemini'})).toMatchObject({key: 'google'});
	expect(await resolved('google', {GOOGLE_API_KEY: ' '})).toBeUndefined();
});

test('custom needs a base URL, and a key only where the host asks for one', async () => {
	const local = 'http://127.0.0.1:11434/v1';
	expect(await resolved('custom', {})).toBeUndefined();
	expect(await resolved('custom', {CUSTOM_API_KEY: 'k'})).toBeUndefined();
	expect(await resolved('custom', {CUSTOM_BASE_URL: local})).toEqual({
		key: undefined,
		baseUrl: local,
		source: 'from env',
	});
	const far = {key: undefined, baseUrl: 'https://far.test/v1'};
	expect(await resolved('custom', {CUSTOM_BASE_URL: far.baseUrl})).toEqual({...far, source: 'from env'});
	expect(await resolved('custom', {}, {key: false, baseUrl: far.baseUrl})).toEqual({...far, source: 'file'});
	expect(await resolved('openai', {OPENAI_BASE_URL: local})).toBeUndefined();
	expect(await resolved('custom', {}, {key: false, baseUrl: local})).toEqual({
		key: undefined,
		baseUrl: local,
		source: 'file',
	});
	expect(await resolved('custom', {CUSTOM_API_KEY: 'k'}, {baseUrl: local})).toEqual({
		key: 'stored-0123456789',
		baseUrl: local,
		source: 'file',
		notice: "CUSTOM_API_KEY is ignored because CUSTOM_BASE_URL isn't set. Using the stored key.",
	});
	expect(await resolved('custom', {CUSTOM_BASE_URL: 'https://evil.test/v1'}, {baseUrl: local})).toMatchObject({
		baseUrl: local,
	});
	await expect(resolved('custom', {}, {})).rejects.toThrow('Missing base URL for the custom provider.');
});

test('a program of the user needs no key on any machine, and gets a stored one only where it belongs [6]', async () => {
	const local = {key: undefined, baseUrl: 'http://127.0.0.1:11434/v1'};
	expect(await resolved('ollama', {})).toEqual({...local, source: 'default'});
	expect(await resolved('ollama', {}, {key: false})).toEqual({...local, source: 'file'});
	expect(await resolved('ollama', {OLLAMA_BASE_URL: 'http://localhost:9/v1'})).toEqual({
		key: undefined,
		baseUrl: 'http://localhost:9/v1',
		source: 'from env',
	});
	const far = {key: undefined, baseUrl: 'http://192.168.1.5:11434/v1'};
	expect(await resolved('ollama', {OLLAMA_BASE_URL: far.baseUrl})).toEqual({...far, source: 'from env'});
	expect(await resolved('ollama', {}, {key: false, baseUrl: far.baseUrl})).toEqual({...far, source: 'file'});
	expect(await resolved('openai', {OPENAI_BASE_URL: far.baseUrl})).toBeUndefined();
	expect(await resolved('ollama', {OLLAMA_BASE_URL: 'https://evil.test/v1'}, {})).toMatchObject({
		key: 'stored-0123456789',
		baseUrl: 'http://127.0.0.1:11434/v1',
	});
});

test.each([
	['ollama', 'http://box.local:11434', 'http://box.local:11434/v1'],
	['ollama', 'http://box.local:11434/', 'http://box.local:11434/v1'],
	['ollama', 'http://box.local:11434/api', 'http://box.local:11434/v1'],
	['ollama', 'http://box.local:11434/api/chat', 'http://box.local:11434/v1'],
	['ollama', 'https://box.test/ollama', 'https://box.test/ollama'],
	['lmstudio', 'localhost:1234', 'http://localhost:1234/v1'],
	['lmstudio', 'http://localhost:1234/api/v0/', 'http://localhost:1234/v1'],
	['lmstudio', 'http://localhost:1234/v1/models', 'http://localhost:1234/v1'],
	['custom', 'http://[fd00::1]:11434', 'http://[fd00::1]:11434/v1'],
	['custom', 'http://10.0.0.7:8000/v1/chat/completions', 'http://10.0.0.7:8000/v1'],
	['custom', 'http://10.0.0.7:8080', 'http://10.0.0.7:8080'],
	['custom', 'https://host.test/models?key=1', 'https://host.test?key=1'],
	['openai', 'https://gate.test/v1/responses', 'https://gate.test/v1'],
	['anthropic', 'https://gate.test/v1/models', 'https://gate.test/v1/models'],
] as const)('the address of %s may be %s', async (provider, given, baseUrl) => {
	const {baseVariable, keyVariables} = providerRows[provider];
	const key = keyVariables[0] === undefined ? {} : {[keyVariables[0]]: 'k'};
	expect(await resolved(provider, {[baseVariable]: given, ...key})).toMatchObject({baseUrl});
	expect(await resolved(provider, {}, {baseUrl: given})).toMatchObject({baseUrl});
});

test('invalid URLs and keys are rejected with a sentence', async () => {
	await expect(resolved('openai', {OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'ftp://x'})).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid OPENAI_BASE_URL: not an http or https URL.',
		hint: 'Correct OPENAI_BASE_URL, or unset it.',
	});
	await expect(resolved('openai', {}, {baseUrl: 'https://user:pass@x.test'})).rejects.toThrow(
		'must not contain a user name',
	);
	const config = openConfig(temporaryHome());
	for (const bad of ['', 'two words', 'line\r\nx-injected: 1', 'schlüssel']) {
		await expect(setKey(config, 'openai', secret(bad))).rejects.toMatchObject({code: 'usage'});
	}
});

test('a list shows the last four characters and the source of each key, those in use first [8]', async () => {
	const config = openConfig(temporaryHome());
	await setKey(config, 'openai', stored);
	await setKey(config, 'custom', undefined, 'http://localhost:1234/v1');
	await setKey(config, 'groq', secret('short'));
	const env = {OPENAI_API_KEY: 'from-env-9876543210', GEMINI_API_KEY: 'gemini-0123456789'};
	expect(listKeys({config, env, rows: providerRows})).toEqual([
		{provider: 'openai', last4: '3210', source: 'from env', baseUrl: 'https://api.openai.com/v1'},
		{provider: 'openai', last4: '6789', source: 'file', baseUrl: 'https://api.openai.com/v1'},
		{provider: 'google', last4: '6789', source: 'from env', baseUrl: 'https://generativelanguage.googleapis.com'},
		{provider: 'groq', last4: '', source: 'file', baseUrl: 'https://api.groq.com/openai/v1'},
		{provider: 'custom', last4: undefined, source: 'file', baseUrl: 'http://localhost:1234/v1'},
	]);
});

test('a removed key is gone; one that is not stored cannot be removed', async () => {
	const config = openConfig(temporaryHome());
	await setKey(config, 'openai', stored);
	await removeKey(config, 'openai');
	expect(config.read().keys).toEqual({});
	await expect(removeKey(config, 'openai')).rejects.toMatchObject({code: 'not-found'});
});

test('the query of a base URL is kept, as hosts on Azure need it', async () => {
	const baseUrl = 'https://mine.azure.test/openai?api-version=2026-01-01';
	const env = {CUSTOM_BASE_URL: 'https://mine.azure.test/openai/?api-version=2026-01-01#top', CUSTOM_API_KEY: 'sk-1'};
	expect(await resolved('custom', env)).toMatchObject({baseUrl});
	expect(await resolved('custom', {}, {baseUrl})).toMatchObject({baseUrl});
});
