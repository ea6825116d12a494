import fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {readArguments} from '../../src/command/arguments.ts';
import {command} from '../../src/command/command.ts';
import {type Flag, type FlagTable, readFlags} from '../../src/command/flags.ts';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {readInvocation} from '../../src/command/invocation.ts';

const letters = [...'abcdefghijkl'];

/** A table of flags, each with a letter and a long name that has another first letter than any. */
const tables: fc.Arbitrary<FlagTable> = fc
	.uniqueArray(fc.constantFrom(...letters), {minLength: 1})
	.chain(chosen =>
		fc.tuple(...chosen.map(letter => fc.tuple(fc.constant(letter), fc.constantFrom('switch', 'value', 'optional')))),
	)
	.map(rows =>
		Object.fromEntries(
			rows.map(([letter, kind]): readonly [string, Flag] => {
				const names = [`-${letter}`, `--x${letter}-${letter}`];
				const flag = {names, summary: '', takesEmpty: true} as const;
				const valued = {...flag, value: 'text'};
				return [letter, kind === 'switch' ? flag : kind === 'value' ? valued : {...valued, isValueOptional: true}];
			}),
		),
	);

/** Texts that are values at any place. */
const values = fc.oneof(
	fc.constantFrom('', '-', '-5', '-.5', '- a list', '--what is this?', 'a=b', 'é', 'two words'),
	fc.string().filter(text => !text.startsWith('-')),
);
const operands = fc.oneof(
	fc.constantFrom('-', '-7', 'file'),
	values.filter(text => !/^-(?!$|\.?\d)/.test(text)),
);

type Written = {readonly key: string; readonly value: string; readonly words: readonly string[]};

/** A flag of a table, with the words in one of the ways to write it. */
function written(table: FlagTable): fc.Arbitrary<Written> {
	return fc.tuple(fc.constantFrom(...Object.entries(table)), values, fc.nat(4)).map(([[key, flag], value, way]) => {
		const [letter = '', long = ''] = flag.names;
		if (!flag.value) {
			return {key, value: '', words: [way % 2 ? letter : long]};
		}

		const attached =
			flag.isValueOptional || value === '' ? `${letter}=${value}` : `${letter}${value.replace(/^(?==)/, '=')}`;
		const ways = [[long, value], [`${long}=${value}`], [letter, value], [`${letter}=${value}`], [attached]];
		return {key, value, words: ways[way] ?? []};
	});
}

/** A table, and parts of a line: flags of the table, and other words. */
const lines = tables.chain(table =>
	fc.record({
		table: fc.constant(table),
		parts: fc.array(fc.oneof(written(table), operands)),
		behind: fc.option(
			fc.array(fc.oneof(values, fc.constantFrom('--', ...Object.values(table).flatMap(({names}) => names)))),
			{
				nil: undefined,
			},
		),
	}),
);

const wordsOf = (parts: ReadonlyArray<Written | string>) =>
	parts.flatMap(part => (typeof part === 'string' ? [part] : part.words));
const flagsOf = (parts: ReadonlyArray<Written | string>) => parts.filter(part => typeof part !== 'string');

test('flags read as they were written, at any place, and nothing behind -- is one', () => {
	fc.assert(
		fc.property(lines, ({table, parts, behind}) => {
			const given = new Map<string, string[]>();
			for (const {key, value} of flagsOf(parts)) {
				given.set(key, [...(given.get(key) ?? []), value]);
			}

			const words = parts.filter(part => typeof part === 'string');
			const line = [...wordsOf(parts), ...(behind ? ['--', ...behind] : [])];
			expect(readFlags(line, table)).toEqual({
				given,
				words,
				behind,
				unknown: undefined,
				fault: undefined,
				open: undefined,
			});
		}),
	);
});

test('the order of different flags does not matter', () => {
	fc.assert(
		fc.property(lines, fc.func(fc.nat()), ({table, parts}, rank) => {
			const once = parts.filter((part, index) =>
				flagsOf(parts.slice(0, index)).every(({key}) => typeof part === 'string' || key !== part.key),
			);
			const flags = flagsOf(once);
			const mixed = flags.map((flag, index) => ({flag, at: rank(index)})).sort((a, b) => a.at - b.at);
			const others = once.filter(part => typeof part === 'string');
			expect(readFlags(wordsOf([...others, ...mixed.map(({flag}) => flag)]), table)).toEqual(
				readFlags(wordsOf(once), table),
			);
		}),
	);
});

test('joined letters are as those letters alone', () => {
	fc.assert(
		fc.property(tables, fc.array(fc.constantFrom(...letters), {minLength: 1}), (table, typed) => {
			const known = typed.filter(letter => table[letter] && (!table[letter].value || table[letter].isValueOptional));
			const alone = readFlags(
				known.map(letter => `-${letter}`),
				table,
			);
			expect(readFlags(known.length > 0 ? [`-${known.join('')}`] : [], table)).toEqual(alone);
		}),
	);
});

const both = command({
	name: 'both',
	summary: 'Has flags that the program and every command have, too',
	args: z.object({profile: z.optional(z.string()), insecureHttp: z.optional(z.boolean())}),
	run: () => ({kind: 'text', text: ''}),
});

function outcomeOf(read: () => {readonly profile?: unknown; readonly insecureHttp?: unknown}) {
	try {
		const {profile, insecureHttp = false} = read();
		return {profile, insecureHttp};
	} catch (error) {
		return error instanceof Error ? error.message : error;
	}
}

test("the program's own flags, those of every command and a command's own are read alike", () => {
	const words = fc.constantFrom(
		'lab',
		'-',
		'-5',
		'-.5',
		'- a list',
		'--what is this?',
		'-x',
		'--nowhere',
		'--profile',
		'--insecure-http',
	);
	const unit = fc.oneof(
		words.map(value => ['--profile', value]),
		words.map(value => [`--profile=${value}`]),
		fc.constantFrom(['--insecure-http'], ['--insecure-http=1'], ['--profile']),
	);
	fc.assert(
		fc.property(fc.array(unit), units => {
			const line = units.flat();
			const ofCommand = outcomeOf(() => readArguments('both', both, line));
			expect(outcomeOf(() => takeGlobalFlags(line).flags)).toEqual(ofCommand);
			expect(outcomeOf(() => readInvocation(line) as {readonly profile?: string})).toEqual(ofCommand);
		}),
	);
});

test.each([
	[['-cp', 'Hi'], {mode: 'once', prompt: 'Hi', resume: 'latest'}],
	[['-pc', 'Hi there'], {mode: 'once', prompt: 'Hi there', resume: 'latest'}],
	[['-p=Hi'], {mode: 'once', prompt: 'Hi'}],
	[['-mopenai/gpt'], {mode: 'app', model: 'openai/gpt'}],
	[['-m=openai/gpt'], {mode: 'app', model: 'openai/gpt'}],
	[['-r=3f2a'], {mode: 'app', resume: '3f2a'}],
	[['-p', '--output-format=json'], {mode: 'once', prompt: undefined, format: 'json'}],
	[['-p', '-m what is it?'], {mode: 'once', prompt: '-m what is it?'}],
	[['-5 + 3'], {mode: 'app', prompt: '-5 + 3'}],
	[['explain this', '-p'], {mode: 'once', prompt: 'explain this'}],
	[['--nowhere', '--help'], {mode: 'command'}],
	[['--model', '--help'], {mode: 'command'}],
])('without a command, %j is understood', (argv, invocation) => {
	expect(readInvocation(argv)).toMatchObject(invocation);
});

test.each([
	[['-p', '--json'], 'Unknown flag --json.', 'With -p, pass --output-format json.'],
	[['--json', '-p', 'Hi'], 'Unknown flag --json.', 'With -p, pass --output-format json.'],
	[['-p', '--nowhere'], 'Unknown flag --nowhere.', 'Run `$ help` to see them all.'],
	[['-print', 'Hi'], 'Unknown flag -print. Did you mean --print?', 'Run `$ help` to see them all.'],
	[['-prnit', 'Hi'], 'Unknown flag -prnit. Did you mean --print?', 'Run `$ help` to see them all.'],
	[['-model', 'x'], 'Unknown flag -model. Did you mean --model?', 'Run `$ help` to see them all.'],
	[['-x=1'], 'Unknown flag -x.', 'Run `$ help` to see them all.'],
	[['-c=1'], '-c takes no value.', undefined],
	[['-cm'], '-m needs a value.', undefined],
	[['-m', '-'], 'Invalid model “-”.', expect.any(String)],
	[['-5'], 'Unexpected argument “-5”.', 'Put the whole prompt in quotes.'],
	[['-'], 'Unexpected argument “-”.', 'Put the whole prompt in quotes.'],
	[['-p', 'Hi', 'explain this'], 'Two prompts given.', 'Put the whole prompt in quotes.'],
	[['explain this', '--', 'more'], 'Two prompts given.', 'Put the whole prompt in quotes.'],
	[['-p', 'Hi', '--'], 'Unknown flag --.', 'Run `$ help` to see them all.'],
])('without a command, %j is refused: %s', (argv, message, hint) => {
	expect(() => readInvocation(argv)).toThrowError(expect.objectContaining({code: 'usage', message, hint}));
});

test.each([
	[['x', '--org', '-'], {org: '-'}, ['x']],
	[['x', '--org', '-5'], {org: '-5'}, ['x']],
	[['x', '--title', '-', '--json'], {json: true}, ['x', '--title', '-']],
	[['x', '-eA=--json', '--', '--org'], {json: false}, ['x', '-eA=--json', '--', '--org']],
])('flags of every command in %j', (words, flags, rest) => {
	expect(takeGlobalFlags(words)).toMatchObject({flags, rest});
});

test.each([
	[['x', '--json=1'], '--json takes no value.'],
	[['x', '--org', '--'], '--org needs a value.'],
])('flags of every command in %j are refused: %s', (words, message) => {
	expect(() => takeGlobalFlags(words)).toThrowError(expect.objectContaining({code: 'usage', message}));
});

const tag = command({
	name: 'tag',
	summary: 'Tag a thing',
	args: z.object({
		thing: z.optional(z.string()),
		title: z.optional(z.string()),
		twice: z.optional(z.boolean()),
	}),
	positional: ['thing'],
	letters: {title: 't', twice: 'w'},
	run: () => ({kind: 'text', text: ''}),
});

test.each([
	[['-t', '-5'], {title: '-5'}],
	[['-t', '-'], {title: '-'}],
	[['-t', '- a list'], {title: '- a list'}],
	[['-t=A'], {title: 'A'}],
	[['-tA'], {title: 'A'}],
	[['-wt', 'A', 'x'], {twice: true, title: 'A', thing: 'x'}],
	[['-wtA'], {twice: true, title: 'A'}],
	[['--title='], {title: ''}],
	[['x', '--'], {thing: 'x'}],
])('a command reads %j', (words, read) => {
	expect(readArguments('tag', tag, words)).toEqual(read);
});

test.each([
	[['-title', 'A'], 'Unknown flag -title for tag. Did you mean --title?'],
	[['-yes'], 'Unknown flag -yes for tag.'],
	[['-w=1'], '-w takes no value.'],
	[['-wt'], '-t needs a value.'],
	[['--title', '--', 'x'], '--title needs a value.'],
])('a command refuses %j: %s', (words, message) => {
	expect(() => readArguments('tag', tag, words)).toThrowError(expect.objectContaining({code: 'usage', message}));
});
