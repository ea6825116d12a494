import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {fieldsOf, flagOf, readArguments} from '../src/command/arguments.ts';
import {globalFlags, runFlags} from '../src/command/flags.ts';
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
const appOnly = /^commands\/(?:env|logs|watch)\.ts$/;

type Hint = {readonly file: string; readonly text: string};

const strings = sources.flatMap(file => stringsOf(file, samples));

/** Paths of a server and folders, which aren't commands. */
const paths = ['password', 'proc', 'sys', 'dev', 'memfd', 'tmp', 'home', 'root'];

/** Commands in backticks: for the place that shows them, or after `$` for a shell. */
const hints: readonly Hint[] = strings.flatMap(({file, text}) =>
	[...text.replaceAll('\\`', '`').matchAll(/(?<![\w`])`(\$(?: [^`]+)?|\/?[a-z][^`]*)`/g)].map(match => ({
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

test.each(hints.filter(({text}) => text.startsWith('/')))(
	'the hint `$text` of $file, whose sentence is for the app, is a command of the app',
	({text}) => {
		expect(parse(splitWords(text.slice(1))).where).not.toBe('shell');
	},
);

test.each(hints.filter(({text}) => /^[^$/]/.test(text)))(
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

/** Files besides those of `src/ui/` whose texts only the app shows, or that say where theirs is typed. */
const shownInApp: Readonly<Record<string, string>> = {
	'src/command/approvals/approval-inquiry.ts': 'asked by the app, and by an editor, which has /approvals',
	'src/command/changes/restore.ts': 'of /undo and /rewind',
	'commands/context.ts': 'of /context',
	'commands/pin.ts': 'of /pin',
	'src/command/wrong-place.ts': 'says where each is typed',
	'commands/jobs.ts': 'of /jobs',
	'src/command/help.ts': 'a line that only the help in the app ends with',
	'src/command/views/usage/jump-view.ts': 'a sentence that only the app gets',
	'src/command/views/watch-view.ts': 'of /watch',
	'src/platform/traces/traces.ts': 'a toast',
	'src/watch/watch-list.ts': 'of /watch',
	'commands/diff.ts': 'of a review, which needs the screen',
};

/** True for a file with a command that only the app has. */
const isOfApp = (file: string) =>
	/^src\/ui\//.test(file) || (file.startsWith('commands/') && /where: 'app'/.test(readFileSync(file, 'utf8')));

/** The commands with a slash in the texts of a file, with the words that may belong to them. */
const slashed = strings.flatMap(({file, text}) =>
	/^src\/providers\//.test(file)
		? []
		: [...text.replaceAll('\\`', '`').matchAll(/(?:^|[\s(`])\/([a-z][a-z-]{2,})(?=[\s`,.;:)]|$)((?: [^\s`,.;:)·]+)*)/g)]
				.map(([, name = '', rest = '']) => ({
					file,
					name,
					text,
					words: [name, ...rest.trim().split(' ').filter(Boolean)],
				}))
				.filter(({name}) => !paths.includes(name)),
);

test('no sentence names a command of several words without a slash, backticks or a path', () => {
	const names = commands.map(({name}) => name).filter(name => name.includes('-'));
	const bare = new RegExp(String.raw`(?<![\w/.\`-])(?:${names.join('|')})(?![\w./-])`);
	const isSentence = ({file, text}: Hint) =>
		/ /.test(text) && !names.includes(text.split(' ')[0] ?? '') && !file.endsWith('/help-groups.ts');
	expect(strings.filter(isSentence).filter(({text}) => bare.test(text.replace(/`[^`]*`/g, '')))).toEqual([]);
});

test.each(slashed)('/$name of $file is a command of the app', ({name}) => {
	const entry = commands.find(candidate => candidate.name === name || candidate.aliases?.includes(name));
	expect(entry).toBeDefined();
	expect(entry && 'where' in entry ? entry.where : undefined).not.toBe('shell');
});

test('a command with a slash stands only in texts that the app alone shows; others have backticks', () => {
	const elsewhere = slashed.filter(
		({file, name, text}) => text !== `/${name}` && !isOfApp(file) && !(file in shownInApp),
	);
	const inTicks = (file: string, name: string) =>
		hints.some(hint => hint.file === file && hint.text.startsWith(`/${name}`));
	expect(elsewhere.filter(({file, name}) => !inTicks(file, name))).toEqual([]);
	expect(Object.keys(shownInApp).filter(file => !slashed.some(each => each.file === file))).toEqual([]);
});

/** The part of the words that is a command: its name, its verb, and what stands for an argument or is a flag. */
function commandIn([name = '', ...rest]: readonly string[]): readonly string[] {
	const entry = commands.find(candidate => candidate.name === name || candidate.aliases?.includes(name));
	const [verb = ''] = rest;
	const verbs = entry && 'verbs' in entry ? entry.verbs.flatMap(each => [each.name, ...(each.aliases ?? [])]) : [];
	const path = verbs.includes(verb) ? [name, verb] : [name];
	const given = rest.slice(path.length - 1);
	const end = given.findIndex(word => !/^(?:<[^>]*>?|[^<]*>|--[a-z-]+|x|\d+|web-shop|anthropic)$/.test(word));
	return [...path, ...(end === -1 ? given : given.slice(0, end))];
}

test.each(
	slashed.map(({file, words}) => ({file, line: commandIn(words).join(' ')})).filter(({line}) => line.includes(' ')),
)('/$line of $file can be typed as it is', ({line}) => {
	expect(parse(splitWords(line.replace(/<[^>]*>/g, 'x'))).where).not.toBe('shell');
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

/** Lines of a shell in the help, and on the pages of the server, with a sample for each placeholder. */
const namedForShell = [
	...documents.flatMap(({file, text}) =>
		[...text.matchAll(/`service (?!name`)([^`]+)`/g)].map(([, line = '']) => ({file, line})),
	),
	...sourceFiles()
		.filter(file => file.startsWith('src/server/pages/'))
		.flatMap(file => stringsOf(file))
		.flatMap(({file, text}) =>
			[...text.matchAll(/(?:“|<code>)service ([^”<]+)/g)].map(([, line = '']) => ({file, line})),
		),
].map(({file, line}) => ({
	file,
	line: line
		.replace(/<task>/g, 'web-shop')
		.replace(/<[^>]+>/g, 'x')
		.replace(/ …$/, '')
		.replace(/^serve password$/, '$& x'),
}));

test.each(namedForShell)('`service $line` of $file is a line of a shell that is understood', ({line}) => {
	const invocation = readInvocation(splitWords(line));
	expect(invocation.mode === 'command' ? parse(invocation.words).where : undefined).not.toBe('app');
});

test('the help and the pages name lines of a shell', () => {
	expect(namedForShell.length).toBeGreaterThan(20);
});

/** Texts with flags of other programs, or with names of colours. */
const otherFlags =
	/^src\/(?:agent|server|terminal|loader)\/|^src\/command\/(?:export\/html|completion\/completion-script)/;

const knownFlags = new Set([
	...Object.values({...runFlags, ...globalFlags}).flatMap(({names}) => names),
	...commands
		.flatMap(entry => ('verbs' in entry ? entry.verbs : [entry]))
		.flatMap(({args}) => fieldsOf(args).map(({name}) => `--${flagOf(name)}`)),
	...['--help', '--version'],
]);

test('each flag in a sentence is one of ours', () => {
	const named = strings
		.filter(({file, text}) => !otherFlags.test(file) && / /.test(text))
		.flatMap(({file, text}) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => ({file, flag})));
	expect(named.length).toBeGreaterThan(100);
	expect(named.filter(({flag}) => !knownFlags.has(flag))).toEqual([]);
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
