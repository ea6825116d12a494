import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {noun} from '../../src/command/command.ts';
import {runFlags} from '../../src/command/flags.ts';
import {flagUsage, helpAbout, helpOf, helpOfAll, helpOfEntry} from '../../src/command/help.ts';
import {helpKeys, lineKeys} from '../../src/command/help-groups.ts';
import {readKeys} from '../../src/command/keymap/read-keys.ts';
import {renderResult} from '../../src/command/render/render.ts';
import type {Result} from '../../src/command/result.ts';
import {unknownHelp} from '../../src/command/unknown-help.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {entries, greet, vault} from './entries.ts';

const draw = (result: Result, width = 60) => renderResult(result, {width, palette: createPalette({color: false})});

test('help for a command has a summary, usage and examples', () => {
	expect(draw(helpOf('greet', greet, false))).toEqual([
		'Greet someone.',
		'',
		'Usage: service greet <name> [title] [--twice] [--base-url',
		'value]',
		'',
		'<name>   who',
		'--twice  say it again',
		'',
		'Also: hello',
		'',
		'service greet Ada --twice',
		'',
		'service --help lists the flags of every command, such as',
		'--json.',
	]);
});

test('help in the app has slashes and no flags of the shell', () => {
	const piped = {...greet, examples: ['greet Ada', 'greet < names.txt']};
	expect(draw(helpOf('greet', piped, true)).slice(2)).toEqual([
		'Usage: /greet <name> [title] [--twice] [--base-url value]',
		'',
		'<name>   who',
		'--twice  say it again',
		'',
		'Also: hello',
		'',
		'/greet Ada',
	]);
});

test('help for a noun lists its verbs with examples and names its fallback', () => {
	expect(draw(helpOfEntry(vault, true))).toEqual([
		'Secrets.',
		'',
		'command      what it does',
		'/vault set   Keep a secret',
		'/vault list  List them',
		'',
		'/vault list',
		'',
		'/help vault <verb> for details. /vault alone is vault list.',
	]);
	const greeting = noun({name: 'greet', summary: 'Greetings', verbs: [{...greet, examples: ['greet a', 'greet b']}]});
	expect(draw(helpOfEntry(greeting, false)).slice(-3)).toEqual([
		'service greet a',
		'',
		'service greet <verb> --help for details.',
	]);
});

test('help shows commands as they are typed in the only place where they work', () => {
	const lines = (name: string, inApp: boolean) => {
		const entry = commands.find(each => each.name === name);
		return entry ? draw(helpOfEntry(entry, inApp), 80) : [];
	};
	expect(lines('bg', false)).toEqual([
		'Send the run to the background and start a new session.',
		'',
		'Works inside the app only.',
		'',
		'command   what it does',
		'/bg send  Send the run to the background and start a new session',
		'',
		'/bg send',
		'',
		'/help bg <verb> for details. /bg alone is bg send.',
	]);
	expect(lines('clear', false)).toEqual(expect.arrayContaining(['Works inside the app only.', 'Usage: /clear']));
	expect(lines('serve', true)).toEqual(expect.arrayContaining(['Works in a shell only.', 'service serve']));
	// Of a noun that works in both, the verbs of here.
	expect(lines('memory', false).filter(line => line.startsWith('service memory'))).toEqual([
		'service memory show',
		'service memory <verb> --help for details. service memory alone is memory show.',
	]);
});

test('help lists the commands that work in the app or the shell', () => {
	const paths = (inApp: boolean) => JSON.stringify(helpOfAll(entries, inApp));
	expect([paths(true).includes('/screen'), paths(true).includes('/shell')]).toEqual([true, false]);
	expect([paths(false).includes('"screen"'), paths(false).includes('"shell"')]).toEqual([false, true]);
});

test('the help of the program fits 80 columns', () => {
	const inShell = draw(helpOfAll(commands, false), 80);
	expect(inShell.filter(line => line.includes('…'))).toEqual([]);
	expect(inShell).toContain('-p, --print "prompt"       Answer once, without the app; piped input is added');
	expect(inShell).toContain('--json            Output JSON');
	expect(inShell[0]).toBe('Usage: service ["first prompt"]    start the app');
	const daily = inShell.slice(inShell.indexOf('Every day') + 1, inShell.indexOf('More commands') - 1);
	expect(daily.map(line => line.split('  ')[0])).toEqual([
		'-p, --print "prompt"',
		'-c, --continue',
		'-r, --resume [id]',
		'-m, --model provider/name',
		'--approve mode',
		'keys set',
		'model use',
		'session saved',
		'login',
		'env create',
	]);
	for (const flag of Object.values(runFlags)) {
		expect(inShell.filter(line => line.startsWith(flagUsage(flag))).length, flagUsage(flag)).toBeGreaterThan(0);
	}

	const inApp = draw(helpOfAll(commands, true), 80);
	expect(inApp.filter(line => line.includes('…'))).toEqual([]);
	expect(inApp.at(-1)).toBe('/help <command or topic> for details. Text without / is sent to the agent.');
});

test('help has groups, from chat to keys, and every command of ours stands in one of them', () => {
	const headingsOf = (inApp: boolean) => {
		const result = helpOfAll(commands, inApp);
		const table = result.kind === 'group' ? result.parts[2] : result;
		return table?.kind === 'table' ? [...new Set(table.groups)] : [];
	};
	const groups = ['Chat', 'Model and cost', 'Sandboxes and logs', 'Platform'];
	expect(headingsOf(false)).toEqual([...groups, 'Server', 'This program']);
	expect(headingsOf(true)).toEqual([...groups, 'Server', 'This program', 'Topics', 'Keys']);
	const lines = draw(helpOfAll(commands, true), 80);
	expect(lines.indexOf('Chat')).toBe(3);
	expect(lines[lines.indexOf('Model and cost') - 1]).toBe('');
	expect(lines[lines.indexOf('Keys') + 1]).toMatch(/^Enter +send$/);
});

test('the help names the keys of the user, and none that was unbound', () => {
	const own = helpKeys(readKeys({'prompt.send': 'ctrl+enter', 'app.transcript': 'f2', 'logs.panel': []}).own);
	const lines = draw(helpOfAll(commands, true, own), 80);
	const keys = lines.slice(lines.indexOf('Keys')).map(line => line.replace(/ {2,}/, ' '));
	expect(keys).toEqual(expect.arrayContaining(['Ctrl+Enter send', '\\+Ctrl+Enter new line', 'F2 transcript']));
	expect(keys.join('\n')).not.toMatch(/^(?:Enter|Ctrl\+O) |log panel/m);
	const found = helpAbout(['transcript'], commands, true, own);
	expect(found?.kind === 'table' && found.rows).toContainEqual(['F2', 'transcript']);
});

test('without a screen the help has the keys of a line, and searches no others', () => {
	const lines = draw(helpOfAll(commands, true, lineKeys), 80).map(line => line.replace(/ {2,}/, ' '));
	expect(lines.slice(lines.indexOf('Keys') + 1, -1)).toEqual(lineKeys.map(([key, does]) => `${key} ${does}`));
	expect(helpAbout(['transcript', 'view'], commands, true, lineKeys)).toBe(undefined);
});

test('words that name no command are searched in names, summaries, arguments and groups', () => {
	const found = (...words: readonly string[]) => {
		const result = helpAbout(words, commands, false);
		return result?.kind === 'table' ? result.rows.map(([name]) => name) : [];
	};
	expect(found('TWO-factor')).toEqual(found('two-factor'));
	expect(found('cost')).toEqual(expect.arrayContaining(['usage show', 'budget']));
	expect(found('two-factor')).toEqual(['mfa verify']);
	expect(found('revoke', 'key')).toContain('api-key revoke');
	expect(found('nothing-like-this')).toEqual([]);
	expect([found('x'), found('ost')]).toEqual([[], []]);
});

test.each([
	['x', /^Did you mean `\w[^`]*`(?:, `[^`]+`)*(?: or `[^`]+`)?\? Run `help` to see everything\.$/],
	['lgoin', 'Did you mean `login`? Run `help` to see everything.'],
	['enviroment', 'Did you mean `help environment`? Run `help` to see everything.'],
	['qqq', 'Run `help` to see everything.'],
] as const)('help about %s, which is unknown, is a usage error with suggestions', (word, hint) => {
	const error = unknownHelp([word], commands, false);
	expect([error.code, error.message]).toEqual(['usage', `No help about “${word}”.`]);
	expect(error.hint).toEqual(typeof hint === 'string' ? hint : expect.stringMatching(hint));
});
