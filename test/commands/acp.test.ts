import {expect, test} from 'vitest';
import {drawn, testContext} from './context.ts';

test('acp --login asks for a provider that needs a key, then for its key [11]', async () => {
	const {run, asked, context} = testContext({answers: ['groq', 'sk-0123456789abcdef']});
	expect(drawn(await run('acp', '--login'), 200)).toContain('Stored the key of Groq');
	const [pick, field] = asked as [{readonly choices: readonly {readonly id: string}[]}, {readonly masked: boolean}];
	const ids = pick.choices.map(({id}) => id);
	expect(ids).toEqual(expect.arrayContaining(['anthropic', 'openai', 'groq']));
	expect(ids).not.toEqual(expect.arrayContaining(['custom', 'ollama']));
	expect(field.masked).toBe(true);
	expect(context.program.local.config.read().keys['groq']?.key?.reveal()).toBe('sk-0123456789abcdef');
});

test('acp --login stores nothing if nothing is selected', async () => {
	const {run, context} = testContext();
	expect(await run('acp', '--login')).toMatchObject({text: 'No API key was added.'});
	expect(context.program.local.config.read().keys).toEqual({});
});

test('acp at a terminal, where nothing can be piped in, says what it is for', async () => {
	await expect(testContext().run('acp')).rejects.toMatchObject({
		code: 'usage',
		hint: expect.stringContaining('help editors'),
	});
});

test('acp leaves the app, which is no editor, alone', async () => {
	await expect(testContext().runInApp('acp')).rejects.toThrow('acp works in a shell only.');
});

test('the model of a command line is read before an editor is answered', async () => {
	const {context} = testContext();
	const {dispatch} = await import('../../src/command/dispatch.ts');
	const piped = {...context, ui: {...context.ui, interact: {...context.ui.interact, piped: async () => ''}}};
	expect(await dispatch(['acp', '--model', 'anthropic/claude-sonnet-4-5', '--trust'], piped)).toEqual({
		kind: 'panel',
		panel: {show: 'editor', model: 'anthropic/claude-sonnet-4-5', trust: true},
	});
	await expect(dispatch(['acp', '--model', 'nonsense'], piped)).rejects.toThrow();
});
