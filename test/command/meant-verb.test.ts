import {expect, test} from 'vitest';
import {testContext} from '../commands/context.ts';

test.each([
	['theme', 'lsit', 'Did you mean `theme list`?'],
	['model', 'lst', 'Did you mean `model list`?'],
	['agent', 'chekc', 'Did you mean `agent check`?'],
	['eval', 'statistics', 'Its only verb is stats.'],
])('a misspelled verb behind %s, %s, leads to the one that was meant', async (noun, verb, hint) => {
	await expect(testContext().run(noun, verb)).rejects.toMatchObject({hint: expect.stringContaining(hint)});
});

test('an argument that resembles no verb gets the hint of its command alone', async () => {
	await expect(testContext().run('model', 'gpt')).rejects.toMatchObject({hint: expect.not.stringContaining('mean')});
});
