import {expect, test} from 'vitest';
import {resolveKey} from '../../src/config/provider-keys.ts';
import {demoModel} from '../../src/core/model.ts';
import {registry} from '../../src/providers/registry.ts';
import {httpServer} from '../net/servers.ts';
import {dataOf, drawn, testContext} from './context.ts';

const key = 'sk-0123456789abcdef';

test('a key is stored by argument, with a warning in a shell [11]', async () => {
	const {run, said, context} = testContext();
	const result = await run('keys', 'set', 'OpenAI', key);
	expect(dataOf(result)).toEqual({provider: 'openai', stored: true, verified: false});
	expect(drawn(result, 200)).toMatch(
		/^Stored the key of OpenAI \(…cdef\)\. It could not be verified: .*\.\nRun service to chat with a real model\.$/,
	);
	expect(said).toHaveLength(1);
	expect(context.program.local.config.read().keys['openai']?.key?.reveal()).toBe(key);
});

test('a stored key that a variable hides is said to be unused, with the variable', async () => {
	const {run} = testContext({env: {GEMINI_API_KEY: 'g-9876543210'}});
	const hidden = 'GEMINI_API_KEY is set and used instead; unset it to use what you stored.';
	expect(drawn(await run('keys', 'set', 'google', key), 300)).toContain(hidden);
	expect(drawn(await run('keys', 'set', 'openai', key), 300)).not.toContain('used instead');
});

test('an omitted key is asked for, masked [11]', async () => {
	const {run, asked, said, context} = testContext({answers: [` ${key} `]});
	await run('keys', 'set', 'groq');
	expect(asked).toEqual([{label: 'API key for Groq, from console.groq.com/keys (typing is hidden):', masked: true}]);
	expect(said).toEqual([]);
	expect(context.program.local.config.read().keys['groq']?.key?.reveal()).toBe(key);
});

test('a custom provider needs a base URL, and no key on this machine', async () => {
	const {run, asked, context} = testContext({answers: [key, '']});
	await run('keys', 'set', 'custom', '--base-url', 'https://models.test/v1/');
	expect(context.program.local.config.read().keys['custom']).toMatchObject({baseUrl: 'https://models.test/v1'});

	const result = await run('keys', 'set', 'custom', '--base-url', 'http://127.0.0.1:11434/v1');
	expect(asked[1]).toEqual({
		...{label: 'API key for Custom (typing is hidden; leave blank if it needs none):', masked: true},
		optional: true,
	});
	expect(context.program.local.config.read().keys['custom']).toMatchObject({baseUrl: 'http://127.0.0.1:11434/v1'});
	expect(drawn(result, 80)).toContain('Stored the base URL of Custom.');
});

test('a custom provider without a base URL is refused before its key is asked for', async () => {
	const {run, asked, context} = testContext({answers: [key]});
	await expect(run('keys', 'set', 'custom')).rejects.toMatchObject({
		code: 'usage',
		message: 'Missing base URL for the custom provider.',
		hint: 'Pass --base-url, for example http://127.0.0.1:11434/v1.',
	});
	expect([asked, context.program.local.config.read().keys]).toEqual([[], {}]);
});

test('[6] a base URL of the environment is saved with a key only by a line that names it, which is offered', async () => {
	const {run} = testContext({env: {CUSTOM_BASE_URL: 'http://127.0.0.1:9/v1'}});
	await expect(run('keys', 'set', 'custom', key)).rejects.toMatchObject({
		hint: 'A saved key needs its own, also beside CUSTOM_BASE_URL: `$ keys set custom --base-url "$CUSTOM_BASE_URL"`',
	});
});

test.each([
	['an unknown provider', ['opennai', key], 'Unknown provider “opennai”.'],
	['a key with spaces', ['openai', 'two words'], 'Invalid API key: it contains spaces or other characters.'],
	['a bad address', ['custom', key, '--base-url', 'ftp://a'], 'Invalid URL “ftp://a”: not http or https.'],
	['an empty address', ['custom', key, '--base-url='], 'Missing base URL for the custom provider.'],
	['no provider', [], 'keys set needs <provider>.'],
])('%s is refused and nothing is stored', async (_name, words, message) => {
	const {run, context} = testContext();
	await expect(run('keys', 'set', ...words)).rejects.toMatchObject({code: 'usage', message});
	expect(context.program.local.config.read().keys).toEqual({});
});

test('no key, or a cancelled question, stores nothing', async () => {
	await expect(testContext({answers: ['']}).run('keys', 'set', 'openai')).rejects.toMatchObject({
		code: 'usage',
		message: 'Missing API key.',
	});
	const text = {kind: 'text', text: 'Nothing was stored.', leavesNothing: true};
	expect(await testContext().run('keys', 'set', 'openai')).toEqual(text);
	expect(await testContext().runInApp('keys', 'set', 'custom')).toEqual(text);
});

test('the app selects a model for a new key, and asks a custom provider for its models', async () => {
	const {runInApp, store} = testContext({answers: [key]});
	expect(drawn(await runInApp('keys', 'set', 'mistral'), 400)).toMatch(
		/^Stored the key of Mistral \(…cdef\)\. .* The model is now mistral\/mistral-medium-latest\.\n\/model chooses another one\.$/,
	);
	expect(store.getState().model).toBe('mistral/mistral-medium-latest');

	const host = await httpServer((_request, response) => response.end('{"data":[{"id":"llama"}]}'));
	const custom = testContext({answers: [`${host.origin}/v1`, '']});
	await custom.runInApp('keys', 'set', 'custom');
	expect(custom.store.getState().model).toBe('custom/llama');
});

test('the list shows at most four characters of a key, and its source [8]', async () => {
	const env = {
		OPENAI_API_KEY: 'sk-environment-9876',
		CUSTOM_BASE_URL: 'http://127.0.0.1:1/v1',
		CUSTOM_API_KEY: 'short',
	};
	const {run} = testContext({env});
	await run('keys', 'set', 'openai', key);
	await run('keys', 'set', 'anthropic', 'tiny');
	const result = await run('keys', 'list');
	expect(drawn(result, 80).split('\n')).toEqual([
		'provider   key       source    goes to',
		'anthropic  (hidden)  file      https://api.anthropic.com',
		'openai     …9876     from env  https://api.openai.com/v1',
		'openai     …cdef     file      https://api.openai.com/v1',
		'custom     (hidden)  from env  http://127.0.0.1:1/v1',
	]);
	expect(drawn(result, 120)).toBe(drawn(result, 80));
	expect(dataOf(result)).toEqual([
		{provider: 'anthropic', last4: '', source: 'file', base_url: 'https://api.anthropic.com'},
		{provider: 'openai', last4: '9876', source: 'from env', base_url: 'https://api.openai.com/v1'},
		{provider: 'openai', last4: 'cdef', source: 'file', base_url: 'https://api.openai.com/v1'},
		{provider: 'custom', last4: '', source: 'from env', base_url: 'http://127.0.0.1:1/v1'},
	]);
	for (const hidden of [key, env.OPENAI_API_KEY, 'short', 'tiny']) {
		expect(JSON.stringify(result)).not.toContain(hidden);
	}
});

test('[8] a base URL is shown without what may be a key in its query, as JSON too', async () => {
	const env = {
		OPENAI_API_KEY: 'sk-env-0123456789876',
		OPENAI_BASE_URL: 'https://user:hunter22@gateway.example/v1?code=SECRET-1&api-version=2025-01-01',
	};
	const {run, context} = testContext({env, answers: ['sk-custom-0123456789']});
	await run('keys', 'set', 'custom', '--base-url', 'http://127.0.0.1:1/v1?SECRET-2');
	const result = await run('keys', 'list');
	expect(dataOf(result)).toMatchObject([
		{base_url: 'https://user:***@gateway.example/v1?code=***&api-version=2025-01-01'},
		{base_url: 'http://127.0.0.1:1/v1?***'},
	]);
	expect(drawn(result, 200)).toMatch(/goes to\n.*code=\*{3}&api-version=2025-01-01\n.*\/v1\?\*{3}$/);
	const data = context.program.local.config.read();
	const other = {...env, CUSTOM_BASE_URL: 'http://127.0.0.1:2/v1'};
	expect(resolveKey('custom', {data, env: other, row: registry.custom})?.notice).toContain('127.0.0.1:1/v1?***. Set');
});

test('a key from the environment without a base URL goes nowhere, and the list says so', async () => {
	const {run} = testContext({env: {CUSTOM_API_KEY: key}});
	const result = await run('keys', 'list');
	expect(drawn(result, 80).split('\n').at(-1)).toMatch(/^custom +…cdef +from env +nowhere: set CUSTOM_BASE_URL$/);
	expect(dataOf(result)).toEqual([{provider: 'custom', last4: 'cdef', source: 'from env', base_url: null}]);
});

test('a provider without a key is listed', async () => {
	const {run} = testContext({answers: ['']});
	await run('keys', 'set', 'custom', '--base-url', 'http://127.0.0.1:1/v1');
	const result = await run('keys', 'list');
	expect(drawn(result, 80).split('\n').at(-1)).toMatch(/^custom +none +file +http:\/\/127\.0\.0\.1:1\/v1$/);
	expect(dataOf(result)).toEqual([
		{provider: 'custom', last4: null, source: 'file', base_url: 'http://127.0.0.1:1/v1'},
	]);
});

test('an empty list says how to store a key', async () => {
	expect(drawn(await testContext().run('keys', 'list'), 80)).toBe('No keys yet. Add one: /keys set <provider>');
});

test('a key is removed by its provider, once', async () => {
	const {run, context} = testContext();
	await run('keys', 'set', 'openai', key);
	expect(dataOf(await run('keys', 'rm', 'openai'))).toEqual({provider: 'openai', removed: true});
	expect(context.program.local.config.read().keys).toEqual({});
	await expect(run('keys', 'remove', 'openai')).rejects.toMatchObject({code: 'not-found'});
});

test('a custom provider that does not respond is reported, and the model stays', async () => {
	const {runInApp, store} = testContext({answers: ['http://127.0.0.1:1/v1', '']});
	store.getState().setModel('openai/gpt-x');
	expect(drawn(await runInApp('keys', 'set', 'custom'), 200)).toBe(
		"Stored the base URL of Custom. It could not be verified: couldn't reach Custom at http://127.0.0.1:1/v1. Is it running?\n" +
			'Name a model: /model custom/<name>.',
	);
	expect(store.getState().model).toBe('openai/gpt-x');
});

test('a key that could not be verified is stored, and a model that can answer stays', async () => {
	const {runInApp, run, context, store} = testContext();
	await run('keys', 'set', 'openai', key);
	store.getState().setModel('openai/gpt-x');
	for (const [provider, other] of [
		['mistral', 'mistral/mistral-medium-latest'],
		['openai', registry.openai.defaultModel && `openai/${registry.openai.defaultModel}`],
		['custom', 'custom/<name>'],
	] as const) {
		const base = provider === 'custom' ? ['--base-url', 'http://127.0.0.1:1/v1'] : [];
		const said = drawn(await runInApp('keys', 'set', provider, key, ...base), 400);
		expect(said).toContain('It could not be verified: ');
		expect(said).toContain(`The model is still openai/gpt-x.\nSelect its model: /model ${other}.`);
		expect(store.getState().model).toBe('openai/gpt-x');
	}

	expect(Object.keys(context.program.local.config.read().keys).toSorted()).toEqual(['custom', 'mistral', 'openai']);
});

test('the demo model does not stay for a host that is not verified: it would be asked for it', async () => {
	const {runInApp, store} = testContext();
	store.getState().setModel(demoModel);
	const said = await runInApp('keys', 'set', 'custom', key, '--base-url', 'http://127.0.0.1:1/v1');
	expect(drawn(said, 200)).toContain('Name a model: /model custom/<name>.');
});

/** Starts a provider that accepts one key and lists these models. */
async function host(known: string, ...models: readonly string[]) {
	const {origin} = await httpServer((request, response) => {
		const isKnown = request.headers.authorization === `Bearer ${known}`;
		response.writeHead(isKnown ? 200 : 401, {'content-type': 'application/json'});
		const list = {data: models.map(id => ({id}))};
		response.end(JSON.stringify(isKnown ? list : {error: {message: 'Incorrect API key'}}));
	});
	return `${origin}/v1`;
}

test('a rejected key is not stored, and the previous key and model stay', async () => {
	const base = await host(key, 'llama');
	for (const where of ['run', 'runInApp'] as const) {
		const given = testContext();
		await given.run('keys', 'set', 'custom', key, '--base-url', base);
		given.store.getState().setModel('custom/llama');
		await expect(given[where]('keys', 'set', 'custom', 'sk-wrong-key', '--base-url', base)).rejects.toMatchObject({
			code: 'auth',
			message: 'Custom rejected the key (401): Incorrect API key. It was not saved.',
			hint: 'Try again: `keys set custom`',
		});
		expect(given.context.program.local.config.read().keys['custom']?.key?.reveal()).toBe(key);
		expect(given.store.getState().model).toBe('custom/llama');
	}
});

test('the user selects one of several models of a provider', async () => {
	const {runInApp, asked, store} = testContext({answers: ['llama-2']});
	const result = await runInApp('keys', 'set', 'custom', key, '--base-url', await host(key, 'llama-1', 'llama-2'));
	expect(drawn(result, 120)).toContain('The model is now custom/llama-2.');
	expect(asked).toMatchObject([{title: 'Select a model', choices: [{id: 'llama-1'}, {id: 'llama-2'}]}]);
	expect(store.getState().model).toBe('custom/llama-2');
});

test('a shell saves the only model of a provider for new sessions', async () => {
	const {run, context} = testContext();
	const result = await run('keys', 'set', 'custom', key, '--base-url', await host(key, 'llama'));
	expect(drawn(result, 120)).toContain('The model is now custom/llama.');
	expect(context.program.local.config.read().settings.model).toBe('custom/llama');

	const several = testContext();
	await several.run('keys', 'set', 'custom', key, '--base-url', await host(key, 'llama-1', 'llama-2'));
	expect(several.context.program.local.config.read().settings.model).toBe(undefined);
});
