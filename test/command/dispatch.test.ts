import {expect, test} from 'vitest';
import type {CommandContext} from '../../src/command/context.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import {testContext} from '../commands/context.ts';
import {entries} from './entries.ts';

const withEntries = (context: CommandContext): CommandContext => ({
	...context,
	program: {...context.program, commands: {...context.program.commands, all: () => entries}},
});
const context = () => withEntries(testContext().context);
const inApp = (shell: CommandContext) => ({
	...shell,
	ui: {
		...shell.ui,
		live: {
			rename: () => undefined,
			start: async () => undefined,
			fork: async () => undefined,
			restored: () => undefined,
			followLog: () => undefined,
			send: () => undefined,
			closeLog: () => '',
			compact: async () => undefined,
			undoCompaction: () => false,
			setBudgets: () => undefined,
			pin: () => undefined,
		},
	},
});

test('a command gets its arguments by name, checked and completed', async () => {
	expect(await dispatch(['hello', 'Ada', '--twice'], context())).toEqual({
		kind: 'text',
		text: 'hi',
		data: {name: 'Ada', twice: true, title: null, baseUrl: 'none'},
	});
});

test.each([['--help'], ['-h']])("%s shows the help, even if the command can't run here", async flag => {
	expect(await dispatch(['greet', flag], context())).toMatchObject({
		kind: 'group',
		data: {command: 'greet', summary: 'Greet someone'},
	});
	expect(await dispatch(['screen', flag], context())).toMatchObject({kind: 'group'});
});

test('help is shown whatever else is wrong with the flags', async () => {
	const help = {kind: 'group', data: {command: 'greet'}};
	expect(await dispatch(['greet', '--nowhere', '--help'], context())).toMatchObject(help);
	expect(await dispatch(['greet', 'Ada', '--title', '-h'], context())).toMatchObject(help);
	await expect(dispatch(['greet', 'Ada', '--help=x'], context())).rejects.toMatchObject({
		message: '--help takes no value.',
	});
});

test('every word after -- is an argument', async () => {
	expect(await dispatch(['note', '--', '--help'], context())).toEqual({kind: 'text', text: '--help'});
});

test('a command of the app is refused in a shell, and vice versa', async () => {
	await expect(dispatch(['screen'], context())).rejects.toMatchObject({
		code: 'usage',
		message: 'screen works inside the app only.',
	});
	await expect(dispatch(['shell'], inApp(context()))).rejects.toMatchObject({
		code: 'usage',
		message: 'shell works in a shell only.',
		hint: 'Quit with /quit, then run `$ shell`.',
	});
});

test('a secret on the command line works, with a warning in a shell [11]', async () => {
	const {context: shell, said} = testContext();
	expect(await dispatch(['enter', 'password'], withEntries(shell))).toEqual({kind: 'text', text: 'in'});
	expect(said).toEqual([
		"A secret on the command line is kept in your shell's history. Leave it out to be asked for it, or pipe it in.",
	]);

	const live = testContext();
	await dispatch(['enter', 'password'], withEntries(inApp(live.context)));
	await dispatch(['enter'], withEntries(live.context));
	expect(live.said).toEqual([]);
});
