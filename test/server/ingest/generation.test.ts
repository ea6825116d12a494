import {expect, test} from 'vitest';
import type {JsonObject} from '../../../src/core/json.ts';
import {bucketsOf, isGeneration, modelOf} from '../../../src/server/ingest/generation.ts';

const usage = 'gen_ai.usage';

test.each<[string, JsonObject, readonly [number, number, number, number]]>([
	['nothing', {}, [0, 0, 0, 0]],
	[
		'input with cached tokens in it, as the conventions have it',
		{
			[`${usage}.input_tokens`]: 100,
			[`${usage}.cache_read.input_tokens`]: 60,
			[`${usage}.cache_creation.input_tokens`]: 30,
		},
		[10, 60, 30, 0],
	],
	[
		'the same of Anthropic',
		{
			'gen_ai.provider.name': 'anthropic',
			[`${usage}.input_tokens`]: 100,
			[`${usage}.cache_read.input_tokens`]: 60,
			[`${usage}.output_tokens`]: 5,
		},
		[40, 60, 0, 5],
	],
	[
		"Anthropic's own numbers under their older names, which leave the cache out",
		{'gen_ai.system': 'anthropic', [`${usage}.input_tokens`]: 100, [`${usage}.cache_read_input_tokens`]: 60},
		[100, 60, 0, 0],
	],
	[
		"Anthropic's own numbers under the new names, which shows where the cache is larger",
		{'gen_ai.system': 'anthropic', [`${usage}.input_tokens`]: 10, [`${usage}.cache_creation.input_tokens`]: 60},
		[10, 0, 60, 0],
	],
	[
		'the older names of any other provider',
		{'gen_ai.system': 'openai', [`${usage}.input_tokens`]: 100, [`${usage}.cache_read_input_tokens`]: 60},
		[40, 60, 0, 0],
	],
	['more cached than all', {[`${usage}.input_tokens`]: 10, [`${usage}.cache_read.input_tokens`]: 60}, [0, 60, 0, 0]],
	['numbers in text', {[`${usage}.input_tokens`]: '12', [`${usage}.output_tokens`]: ' '}, [12, 0, 0, 0]],
	['numbers that are no counts', {[`${usage}.input_tokens`]: -1, [`${usage}.output_tokens`]: 1.5}, [0, 0, 0, 0]],
	['more than can be added up', {[`${usage}.input_tokens`]: 1e15}, [0, 0, 0, 0]],
])('the four token counts never overlap: %s', (_, attributes, [input, read, creation, output]) => {
	expect(bucketsOf(attributes)).toEqual({
		input_tokens: input,
		cache_read_input_tokens: read,
		cache_creation_input_tokens: creation,
		output_tokens: output,
	});
});

test.each<[string | undefined, JsonObject]>([
	['anthropic/claude-x', {'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude-x'}],
	[
		'openai/gpt-y-1',
		{'gen_ai.system': 'azure.ai.openai', 'gen_ai.request.model': 'gpt-y', 'gen_ai.response.model': 'gpt-y-1'},
	],
	['google/gemini-z', {'gen_ai.provider.name': 'gcp.vertex_ai', 'gen_ai.request.model': 'gemini-z'}],
	['mistral/m', {'gen_ai.provider.name': 'mistral_ai', 'gen_ai.request.model': 'm'}],
	['groq/llama/8b', {'gen_ai.provider.name': 'somebody', 'gen_ai.request.model': 'groq/llama/8b'}],
	['constructor/m', {'gen_ai.provider.name': 'constructor', 'gen_ai.request.model': 'm'}],
	['m', {'gen_ai.request.model': 'm'}],
	[undefined, {'gen_ai.provider.name': 'openai'}],
])('a model is named %s', (expected, attributes) => {
	expect(modelOf(attributes)).toBe(expected);
});

test('a model’s message is a span with an inference operation, or with usage and no operation', () => {
	const counted = {'gen_ai.usage.output_tokens': 1};
	expect(isGeneration('chat', {})).toBe(true);
	expect(isGeneration('generate_content', {})).toBe(true);
	expect(isGeneration('internal', counted)).toBe(true);
	expect(isGeneration('internal', {})).toBe(false);
	expect(isGeneration('invoke_agent', {...counted, 'gen_ai.operation.name': 'invoke_agent'})).toBe(false);
	expect(isGeneration('embeddings', {...counted, 'gen_ai.operation.name': 'embeddings'})).toBe(false);
});
