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

test('words that look like flags come with the line that makes them part of the argument, and it works', async () => {
	const here = testContext();
	await expect(here.run('approvals', 'explain', 'rm', '-rf', 'my dir')).rejects.toMatchObject({
		message: 'Unknown flag -rf for approvals explain.',
		hint: "If it is no flag: `approvals explain -- rm -rf 'my dir'`. Usage: `approvals explain <act…>`",
	});
	expect(await here.run('approvals', 'explain', '--', 'rm', '-rf', 'my dir')).toMatchObject({
		data: {act: 'rm -rf my dir'},
	});
});

test.each([
	[['mcp', 'add', '--scope', 'user', 'docs', 'npx', '-y', 'docs']],
	[['approvals', 'explain', '-x', '--', 'ls']],
	[['whoami', '--wier']],
])('%j is refused with the usage alone', async words => {
	await expect(testContext().run(...words)).rejects.toMatchObject({
		code: 'usage',
		hint: expect.not.stringContaining('If it is no flag'),
	});
});
