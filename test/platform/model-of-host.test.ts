import {expect, test} from 'vitest';
import {modelOfHost} from '../../src/platform/model-of-host.ts';

test('the only model of a provider is used', async () => {
	expect(await modelOfHost(['custom/llama'], undefined)).toBe('custom/llama');
});

test('the user selects one of several models; without a terminal the error lists them', async () => {
	expect(await modelOfHost(['custom/a', 'ollama/b'], async ids => ids[1])).toBe('ollama/b');
	await expect(modelOfHost(['custom/a', 'ollama/b'], undefined)).rejects.toMatchObject({
		code: 'usage',
		message: 'No model selected. Your provider has custom/a, ollama/b.',
		hint: 'Select one: `model use custom/a`, or --model custom/a.',
	});
	await expect(modelOfHost(['custom/a', 'ollama/b'], async () => undefined)).rejects.toMatchObject({code: 'usage'});
	await expect(modelOfHost([], undefined)).rejects.toMatchObject({
		message: 'No model selected, and no provider lists any.',
	});
});
