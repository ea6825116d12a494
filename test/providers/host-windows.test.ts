import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ProviderName} from '../../src/core/provider-rows.ts';
import type {Transport} from '../../src/net/transport.ts';
import {askHostWindow, createHostWindows} from '../../src/providers/host-windows.ts';

const signal = new AbortController().signal;

/** Creates a host that answers these paths with JSON, and all others with 404. */
function hostWith(bodies: Readonly<Record<string, unknown>>) {
	const paths: string[] = [];
	const transport: Transport = async ({url}) => {
		const {pathname, search} = new URL(url);
		paths.push(pathname + search);
		const body = bodies[pathname + search] ?? bodies[pathname];
		return {
			status: body === undefined ? 404 : 200,
			headers: {},
			body: (async function* () {
				yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? {error: 'not found'}));
			})(),
		};
	};
	return {transport, paths};
}

function ask(provider: ProviderName, bodies: Readonly<Record<string, unknown>>, baseUrl = 'http://host.test/v1') {
	return askHostWindow({provider, baseUrl, model: 'm', transport: hostWith(bodies).transport}, signal);
}

const list = (row: object) => ({
	'/v1/models': {
		object: 'list',
		data: [
			{id: 'other', context_length: 9},
			{id: 'm', ...row},
		],
	},
});

test.each<[string, ProviderName, Readonly<Record<string, unknown>>, number, boolean]>([
	['vLLM', 'custom', list({max_model_len: 8192}), 8192, true],
	['OpenRouter', 'openrouter', list({context_length: 200_000, top_provider: {context_length: 131_072}}), 131_072, true],
	['Groq', 'groq', list({context_window: 131_072}), 131_072, true],
	['Mistral', 'mistral', list({max_context_length: 32_768}), 32_768, false],
	['Together', 'together', {'/v1/models': [{id: 'm', context_length: 8193}]}, 8193, true],
	['llama.cpp', 'custom', list({meta: {n_ctx: 4096, n_ctx_train: 131_072}}), 4096, true],
	[
		'the router of llama.cpp',
		'custom',
		{
			...list({owned_by: 'llamacpp'}),
			'/props?model=m': {default_generation_settings: {n_ctx: 16_384}},
			'/props': {n_ctx: 0},
		},
		16_384,
		true,
	],
	[
		'Ollama, loaded',
		'ollama',
		{
			'/api/ps': {models: [{name: 'm:latest', context_length: 4096}]},
			'/api/show': {model_info: {'qwen3.context_length': 40_960}},
		},
		4096,
		true,
	],
	[
		'Ollama, not loaded',
		'ollama',
		{'/api/ps': {models: []}, '/api/show': {model_info: {'general.x': 1, 'qwen3.context_length': 40_960}}},
		40_960,
		false,
	],
	[
		'Ollama, another model loaded, with a parameter',
		'ollama',
		{
			'/api/ps': {models: [{name: 'n', context_length: 4096}]},
			'/api/show': {
				parameters: 'temperature 1\nnum_ctx                        8192',
				model_info: {'l.context_length': 1e6},
			},
		},
		8192,
		true,
	],
	[
		'LM Studio',
		'lmstudio',
		{'/api/v0/models': {data: [{id: 'm', max_context_length: 262_144, loaded_context_length: 81_920}]}},
		81_920,
		true,
	],
	[
		'LM Studio 0.4',
		'lmstudio',
		{
			'/api/v1/models': {
				models: [{key: 'm', max_context_length: 9e5, loaded_instances: [{config: {context_length: 7000}}]}],
			},
		},
		7000,
		true,
	],
	[
		'LM Studio behind a custom address',
		'custom',
		{...list({owned_by: 'organization_owner'}), '/api/v0/models': {data: [{id: 'org/m', max_context_length: 262_144}]}},
		262_144,
		false,
	],
	['Anthropic', 'anthropic', {'/v1/v1/models/m': {max_input_tokens: 200_000}}, 200_000, true],
	['Google', 'google', {'/v1/v1beta/models/m': {inputTokenLimit: 1_048_576}}, 1_048_576, true],
])('the window is read as %s tells it', async (_, provider, bodies, tokens, isInForce) => {
	expect(await ask(provider, bodies)).toEqual({tokens, isInForce});
});

test.each<[string, Readonly<Record<string, unknown>>]>([
	['no list', {}],
	['a web page', {'/v1/models': '<html>'}],
	['nonsense', {'/v1/models': {data: [null, 3, {id: 'm', context_length: 'many'}]}}],
	['a dummy', list({context_length: 0, max_model_len: -1})],
])('a host that tells %s has an unknown window', async (_, bodies) => {
	expect(await ask('custom', bodies)).toBeUndefined();
});

test('the path of a base URL and its query stay in every question', async () => {
	const {transport, paths} = hostWith({});
	await askHostWindow({provider: 'lmstudio', baseUrl: 'https://h.test/llm/v1?v=2', model: 'a b', transport}, signal);
	expect(paths).toEqual(['/llm/api/v1/models?v=2', '/llm/api/v0/models?v=2']);
});

test('a host of the user that does not say which program it is is asked for its list only', async () => {
	const {transport, paths} = hostWith(list({}));
	await askHostWindow({provider: 'custom', baseUrl: 'https://h.test/v1', model: 'm', transport}, signal);
	expect(paths).toEqual(['/v1/models']);
});

test('a vendor is asked for its list only', async () => {
	const {transport, paths} = hostWith({});
	await askHostWindow({provider: 'groq', baseUrl: 'https://h.test/v1', model: 'm', transport}, signal);
	expect(paths).toEqual(['/v1/models']);
});

test('an answer is remembered, what a refusal named wins, and a silent host is asked three times at most', async () => {
	const telling = hostWith(list({max_model_len: 8192}));
	const place = {provider: 'custom', baseUrl: 'http://a.test/v1', model: 'm', transport: telling.transport} as const;
	const windows = createHostWindows();
	expect(windows.known(place)).toBeUndefined();
	const both = await Promise.all([windows.find(place, signal), windows.find(place, signal)]);
	expect(both).toEqual([windows.known(place), {tokens: 8192, isInForce: true}]);
	await windows.find(place, signal);
	expect(telling.paths).toEqual(['/v1/models']);
	windows.learn(place, 4000);
	expect(await windows.find(place, signal)).toEqual({tokens: 4000, isInForce: true});

	const silent = hostWith({});
	const other = {...place, provider: 'groq', baseUrl: 'http://b.test/v1', transport: silent.transport} as const;
	for (let index = 0; index < 5; index++) {
		expect(await windows.find(other, signal)).toBeUndefined();
	}

	expect(silent.paths).toHaveLength(3);
});

test('whatever a host answers, asking for a window never throws and gives a number of tokens or nothing', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.jsonValue(),
			fc.constantFrom<ProviderName>('custom', 'ollama', 'lmstudio', 'groq'),
			async (body, provider) => {
				const transport: Transport = async () => ({
					status: 200,
					headers: {},
					body: (async function* () {
						yield Buffer.from(JSON.stringify({data: [{id: 'm', max_model_len: body}], models: body, model_info: body}));
					})(),
				});
				const window = await askHostWindow({provider, baseUrl: 'http://h.test/v1', model: 'm', transport}, signal);
				expect(window === undefined || window.tokens >= 256).toBe(true);
			},
		),
		{numRuns: 200},
	);
});
