import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {readArguments} from '../src/command/arguments.ts';
import {takeGlobalFlags} from '../src/command/global-flags.ts';
import {readInvocation} from '../src/command/invocation.ts';
import {findCommand} from '../src/command/table.ts';
import {splitWords} from '../src/command/words.ts';
import {sourceFiles, stringsOf} from './source-strings.ts';

const sources = sourceFiles()
	// The server's pages and the descriptions of the API are read elsewhere; the help topics are Markdown.
	.filter(file => !/^src\/(?:server|contract|command\/topics)\//.test(file));

/** Samples for expressions inside hints that need more than any word. */
const samples: Readonly<Record<string, string>> = {
	path: 'whoami',
	command: 'whoami',
	"words.join(' ')": 'run claim x',
	'usageOf(path, command)': 'whoami',
	line: 'finding list',
	synopsis: 'keys list',
	'page + 1': '2',
};

/** Hints with commands of the app, in files whose text only the app shows. */
const appOnly = /^(?:commands\/(?:logs|watch)\/|commands\/env\/env-logs\.ts$|src\/command\/open-log\.ts$)/;

type Hint = {readonly file: string; readonly text: string};

const strings = sources.flatMap(file => stringsOf(file, samples));

/** Paths of a server and folders, which aren't commands. */
const paths = ['password', 'proc', 'sys', 'dev', 'tmp', 'home', 'root'];

/** Commands in backticks: for the place that shows them, or after `$` for a shell. */
const hints: readonly Hint[] = strings.flatMap(({file, text}) =>
	[...text.replaceAll('\\`', '`').matchAll(/(?<![\w`])`(\$(?: [^`]+)?|[a-z][^`]*)`/g)].map(match => ({
		file,
		text: (match[1] ?? '').replace(/<command>/g, 'whoami').replace(/<[^>]*>/g, 'x'),
	})),
);

function parse(words: readonly string[]) {
	const {command, path, rest} = findCommand(commands, takeGlobalFlags(words).rest);
	readArguments(
		path,
		command,
		rest.filter(word => word !== '--help'),
	);
	return command;
}

test.each(hints.filter(({text}) => !text.startsWith('$')))(
	'the hint `$text` of $file is a command that can be typed where it is read',
	({file, text}) => {
		const {where} = parse(splitWords(text));
		expect(where === undefined || (where === 'app' && appOnly.test(file))).toBe(true);
	},
);

test.each(hints.filter(({text}) => text.startsWith('$')))(
	'the hint `$text` of $file is a line of a shell that is understood',
	({text}) => {
		const invocation = readInvocation(splitWords(text.slice(1)));
		expect(invocation.mode === 'command' ? parse(invocation.words).where : undefined).not.toBe('app');
	},
);

test('the program contains hints to test', () => {
	expect(hints.length).toBeGreaterThan(40);
	expect(hints.some(({text}) => text.startsWith('$'))).toBe(true);
});

const slashed = strings.flatMap(({file, text}) =>
	/^src\/providers\//.test(file)
		? []
		: [...text.matchAll(/(?:^|[\s(`])\/([a-z][a-z-]{2,})(?=[\s`,.;:)]|$)/g)].map(([, name = '']) => ({file, name})),
);

test.each(slashed.filter(({name}) => !paths.includes(name)))('/$name of $file is a command of the app', ({name}) => {
	const entry = commands.find(candidate => candidate.name === name || candidate.aliases?.includes(name));
	expect(entry).toBeDefined();
	expect(entry && 'where' in entry ? entry.where : undefined).not.toBe('shell');
});

const documents = ['README.md', ...readdirSync('src/command/topics').map(name => `src/command/topics/${name}`)]
	.filter(file => file.endsWith('.md'))
	.map(file => ({file, text: readFileSync(file, 'utf8')}));

const namedInApp = documents.flatMap(({file, text}) =>
	[...text.matchAll(/`\/([a-z][^`/]*)`/g)]
		.map(([, line = '']) => line)
		.filter(line => !['name', 'account', ...paths].includes(line))
		.map(line => ({file, line: line.replace(/<topic>/g, 'keys').replace(/<[^>]+>/g, 'x')})),
);

test.each(namedInApp)('/$line of $file can be typed in the app', ({line}) => {
	expect(parse(splitWords(line)).where).not.toBe('shell');
});

const readme = documents[0]?.text ?? '';

const shellLines = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
	.flatMap(([, block = '']) => block.split('\n'))
	.flatMap(line => /(?:^|\| )service( [^#|&]+)/.exec(line)?.[1]?.trim() ?? []);

test.each(shellLines)('the line `service %s` of the README is a line of a shell that is understood', line => {
	const invocation = readInvocation(splitWords(line));
	expect(invocation.mode === 'command' ? parse(invocation.words).where : undefined).not.toBe('app');
});

test('each command that needs the app by the README does, with all its verbs', () => {
	const [, list = ''] = /needs the\s+session on the screen, as ([\s\S]*?) do\./.exec(readme) ?? [];
	const names = [...list.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
	expect(names.length).toBeGreaterThan(5);
	const inShell = names.filter(name => {
		const entry = commands.find(candidate => candidate.name === name);
		const parts = entry && 'verbs' in entry ? entry.verbs : [entry];
		return parts.some(part => part === undefined || !('where' in part) || part.where !== 'app');
	});
	expect(inShell).toEqual([]);
});

test('no text writes the name of the program in front of a command', () => {
	const names = commands.map(({name}) => name).join('|');
	const own = new RegExp(String.raw`\bservice (?:--?[a-z]|(?:${names})\b)`);
	expect(strings.filter(({file, text}) => !file.endsWith('/completion-script.ts') && own.test(text))).toEqual([]);
});
