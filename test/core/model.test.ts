import {expect, test} from 'vitest';
import {isProviderName, parseModelId, parseProviderName, providerNames} from '../../src/core/model.ts';

test.each([
	['anthropic/claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
	['groq/openai/gpt-oss-120b', 'groq', 'openai/gpt-oss-120b'],
	['custom/llama3:8b', 'custom', 'llama3:8b'],
	['OpenAI/GPT-X', 'openai', 'GPT-X'],
	[' openai / gpt ', 'openai', 'gpt'],
])('%j has provider %s and name %s', (id, provider, name) => {
	expect(parseModelId(id)).toEqual({provider, name});
});

test.each(['', 'gpt', '/gpt', 'openai/', 'openai/  '])('%j is not a model id', id => {
	expect(() => parseModelId(id)).toThrowError(
		expect.objectContaining({code: 'usage', message: `Invalid model “${id}”.`}),
	);
});

test.each(['opennai', 'toString', '__proto__', ''])('%j is not a provider', name => {
	expect(isProviderName(name)).toBe(false);
	expect(() => parseProviderName(name)).toThrowError(
		expect.objectContaining({
			code: 'usage',
			message: `Unknown provider “${name}”.`,
			hint: `Choose one of ${providerNames.join(', ')}.`,
		}),
	);
});

test.each(providerNames)('the provider %s may be typed in any case', name => {
	expect(parseProviderName(name.toUpperCase())).toBe(name);
});
