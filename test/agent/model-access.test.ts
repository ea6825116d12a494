import {describe, expect, test} from 'vitest';
import {createModelAccess} from '../../src/agent/model-access.ts';
import {openConfig} from '../../src/config/config.ts';
import {setKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import type {ProviderName} from '../../src/core/model.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {ModelCall} from '../../src/providers/provider.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {collect} from './scripted.ts';

type Stored = readonly [provider: ProviderName, key: string | undefined, baseUrl?: string];

/** Creates model access with these keys stored. Records which key went where, and how. */
async function access(env: Readonly<Record<string, string>> = {}, ...stored: readonly Stored[]) {
	const config = openConfig(temporaryHome());
	const keep = async ([provider, key, baseUrl]: Stored) =>
		setKey(config, provider, key ? secret(key) : undefined, baseUrl);
	for (const entry of stored) {
		await keep(entry);
	}

	const sent: string[] = [];
	let made = 0;
	let started = 0;
	const model = createModelAccess({
		config,
		env,
		async embedded() {
			started++;
			return {url: 'http://127.0.0.1:4000', token: secret('embedded-token')};
		},
		async createTransport(credential) {
			made++;
			const key = credential ? `${credential.kind} ${credential.secret.reveal()} for ${credential.origin}` : 'no key';
			return async ({url}) => {
				sent.push(`${key} -> ${new URL(url).origin}`);
				return {status: url.includes('locked') ? 401 : 404, headers: {}, body: (async function* () {})()};
			};
		},
		front: () => ({session: 'a', isPlanning: false, effortOf: () => undefined}),
		instructions: async () => 'Be brief.',
		tools: async () => [],
	});
	const ask = async (call: ModelCall) =>
		collect(call([{role: 'user', text: 'Hi'}], AbortSignal.timeout(1000))).catch(() => []);
	return {
		...model,
		/** Sends the model a message and returns the error that comes back. */
		fail: async (id: string) =>
			collect((await model.open(id))([{role: 'user', text: 'Hi'}], AbortSignal.timeout(1000))).catch(
				(error: unknown) => error,
			),
		config,
		keep,
		sent,
		made: () => made,
		started: () => started,
		/** Opens the model and sends it a message. */
		use: async (id: string) => ask(await model.open(id)),
	};
}

describe('a key', () => {
	test.each<[string, Record<string, string>, readonly Stored[], string, string]>([
		[
			'that is stored goes to its vendor',
			{},
			[['openai', 'sk-stored']],
			'openai/x',
			'bearer sk-stored for https://api.openai.com/v1 -> https://api.openai.com',
		],
		[
			'of each vendor goes in its own header',
			{},
			[['anthropic', 'sk-stored']],
			'anthropic/x',
			'x-api-key sk-stored for https://api.anthropic.com -> https://api.anthropic.com',
		],
		[
			'that is stored with an address goes there',
			{},
			[['google', 'sk-stored', 'https://gate.example']],
			'google/x',
			'x-goog-api-key sk-stored for https://gate.example -> https://gate.example',
		],
		[
			'from the environment goes to the vendor, not to the address of the stored one',
			{OPENAI_API_KEY: 'sk-env'},
			[['openai', 'sk-stored', 'https://gate.example/v1']],
			'openai/x',
			'bearer sk-env for https://api.openai.com/v1 -> https://api.openai.com',
		],
		[
			'from the environment goes to the address from the environment',
			{OPENAI_API_KEY: 'sk-env', OPENAI_BASE_URL: 'https://env.example/v1'},
			[['openai', 'sk-stored']],
			'openai/x',
			'bearer sk-env for https://env.example/v1 -> https://env.example',
		],
		[
			'that is stored never goes to an address from the environment',
			{OPENAI_BASE_URL: 'https://evil.example/v1'},
			[['openai', 'sk-stored']],
			'openai/x',
			'bearer sk-stored for https://api.openai.com/v1 -> https://api.openai.com',
		],
		[
			'of a custom host goes there, also for a model that is called demo',
			{},
			[['custom', 'sk-stored', 'https://host.example/v1']],
			'custom/demo',
			'bearer sk-stored for https://host.example/v1 -> https://host.example',
		],
		[
			'is not needed for a custom host on loopback',
			{CUSTOM_BASE_URL: 'http://127.0.0.1:11434/v1'},
			[],
			'custom/x',
			'no key -> http://127.0.0.1:11434',
		],
		['is not needed for a program on this machine', {}, [], 'ollama/llama3', 'no key -> http://127.0.0.1:11434'],
		[
			'of the embedded server goes to it alone',
			{},
			[],
			'demo/demo',
			'bearer embedded-token for http://127.0.0.1:4000/v1 -> http://127.0.0.1:4000',
		],
	])('%s [6]', async (_, env, stored, id, expected) => {
		const {use, sent} = await access(env, ...stored);
		await use(id);
		expect(sent).toEqual([expected]);
	});

	test.each([
		['openai/x', 'auth', 'No API key for OpenAI.', 'Run `keys set openai`, or set OPENAI_API_KEY.'],
		['google/x', 'auth', 'No API key for Google.', 'Run `keys set google`, or set GOOGLE_API_KEY.'],
		[
			'custom/x',
			'not-found',
			'No custom host is configured.',
			'Run `keys set custom --base-url <address>`, or set CUSTOM_BASE_URL and CUSTOM_API_KEY.',
		],
	])('that is missing for %s is asked for, before anything is sent', async (id, code, message, hint) => {
		const {open, assertUsable, started} = await access();
		await expect(open(id)).rejects.toMatchObject({code, message, hint});
		expect(() => assertUsable(id)).toThrow(message);
		expect(started()).toBe(0);
	});
});

test('a model is usable whatever its name, if its provider has a host; the host knows its models', async () => {
	const {assertUsable, started} = await access({CUSTOM_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-1'});
	for (const model of ['custom/any name at all', 'openai/gpt-none', 'ollama/llama3']) {
		assertUsable(model);
	}

	expect(started()).toBe(0);
	const {assertUsable: withoutKeys} = await access();
	withoutKeys('demo/demo');
});

test('without a model the error says how to select one', async () => {
	const {open} = await access();
	await expect(open(undefined)).rejects.toMatchObject({code: 'usage', message: 'No model selected.'});
	await expect(open('nobody/x')).rejects.toMatchObject({code: 'usage'});
});

describe('the connections to a host', () => {
	test('are reused for the same host and key', async () => {
		const {use, made} = await access({}, ['openai', 'sk-1']);
		await use('openai/x');
		await use('openai/y');
		expect(made()).toBe(1);
	});

	test('are not reused for another key [6]', async () => {
		const {use, keep, sent} = await access({}, ['openai', 'sk-1']);
		await use('openai/x');
		await keep(['openai', 'sk-2']);
		await use('openai/x');
		expect(sent.map(line => line.split(' ')[1])).toEqual(['sk-1', 'sk-2']);
	});

	test('are not shared by vendors with different headers behind one gateway', async () => {
		const gateway = 'https://gate.example';
		const {use, sent} = await access({}, ['anthropic', 'sk-1', gateway], ['google', 'sk-1', gateway]);
		await use('anthropic/x');
		await use('google/x');
		expect(sent.map(line => line.split(' ')[0])).toEqual(['x-api-key', 'x-goog-api-key']);
	});
});

describe('the initial model', () => {
	test('is the demo without a key', async () => {
		const {initial, isDemo} = await access();
		expect([initial(), isDemo(initial()), isDemo('custom/other'), isDemo(undefined)]).toEqual([
			'demo/demo',
			true,
			false,
			false,
		]);
	});

	test('is that of the first key, and undefined for a custom host', async () => {
		expect((await access({GROQ_API_KEY: 'k'})).initial()).toBe('groq/openai/gpt-oss-120b');
		expect((await access({}, ['ollama', undefined])).initial()).toBe(undefined);
		const custom = await access({}, ['custom', 'k', 'https://host.example/v1']);
		expect([custom.initial(), custom.isDemo('custom/demo')]).toEqual([undefined, false]);
	});

	test("is the user's choice", async () => {
		const {initial, config} = await access({GROQ_API_KEY: 'k'});
		await saveSettings(config, {model: 'openai/x'});
		expect(initial()).toBe('openai/x');
	});
});

test('only configured hosts list their own models', async () => {
	expect(await (await access({OPENAI_API_KEY: 'k'})).hosts()).toEqual([]);
	const env = {LMSTUDIO_BASE_URL: 'http://localhost:1234/v1'};
	const {hosts} = await access(env, ['custom', 'k', 'https://host.example/v1'], ['ollama', undefined]);
	expect((await hosts()).map(({name, baseUrl}) => [name, baseUrl])).toEqual([
		['ollama', 'http://127.0.0.1:11434/v1'],
		['lmstudio', 'http://localhost:1234/v1'],
		['custom', 'https://host.example/v1'],
	]);
});

test('an ignored variable is reported for the model that it concerns', async () => {
	const {notice} = await access({OPENAI_BASE_URL: 'https://evil.example/v1'}, ['openai', 'sk-stored']);
	expect(notice('openai/x')).toMatch(/^OPENAI_BASE_URL is ignored/);
	expect([notice('groq/x'), notice(undefined)]).toEqual([undefined, undefined]);
});

test('a rejected key from a variable has a hint with the variable, a stored one with the command that stores it', async () => {
	const locked = 'https://locked.example/v1';
	const {fail} = await access({OPENAI_API_KEY: 'sk-env', OPENAI_BASE_URL: locked}, ['groq', 'sk-stored', locked]);
	expect(await fail('openai/x')).toMatchObject({
		code: 'auth',
		message: 'OpenAI rejected the key (401).',
		hint: 'The key is from OPENAI_API_KEY. Correct it, or unset it and run `keys set openai`.',
	});
	expect(await fail('groq/x')).toMatchObject({code: 'auth', hint: 'Check the key with `keys set groq`.'});
});
