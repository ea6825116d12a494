import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {commands} from '../../../commands/index.ts';
import {command, noun} from '../../../src/command/command.ts';
import {complete, completeWords} from '../../../src/command/completion/complete.ts';
import type {KnownValues} from '../../../src/command/completion/known-values.ts';

const done = () => ({kind: 'text', text: ''}) as const;

const set = command({
	name: 'set',
	aliases: ['add'],
	summary: 'Keep a secret',
	args: z.object({provider: z.string(), key: z.optional(z.string()), baseUrl: z.optional(z.string())}),
	positional: ['provider', 'key'],
	secret: 'key',
	completes: {provider: 'provider', key: 'key'},
	describe: {baseUrl: 'where it may go'},
	run: done,
});
const use = command({
	name: 'use',
	summary: 'Choose',
	args: z.object({model: z.optional(z.string()), now: z.optional(z.boolean())}),
	positional: ['model'],
	completes: {model: 'model'},
	run: done,
});
const list = command({
	name: 'list',
	summary: 'List',
	args: z.object({
		sort: z.optional(z.enum(['score', 'age'])),
		tag: z.optional(z.array(z.enum(['red', 'blue']))),
		run: z.optional(z.string()),
	}),
	completes: {run: 'run'},
	run: done,
});
const entries = [
	noun({name: 'keys', summary: 'Keys', verbs: [set]}),
	noun({name: 'model', aliases: ['models'], summary: 'Models', verbs: [list, use], fallback: 'use'}),
];

const known: Readonly<Record<string, readonly string[]>> = {
	provider: ['anthropic', 'openai'],
	model: ['openai/gpt', 'openai/gpt-mini', 'anthropic/claude'],
	run: ['9f-2', '9f-1'],
	profile: ['lab', 'bad\u001B[2J', 'a b', '$(reboot)', "it's"],
	key: ['sk-secret'],
};
const valuesOf: KnownValues = kind => known[kind] ?? [];
const lines = (line: string) => complete(entries, line, {valuesOf}).map(found => found.line);

test.each([
	['/keys set ', ['/keys set anthropic ', '/keys set openai ']],
	['/keys add ', ['/keys add anthropic ', '/keys add openai ']],
	['/keys set  ope', ['/keys set  openai ']],
	['/keys set AN', ['/keys set anthropic ']],
	['/keys set --ba', ['/keys set --base-url ']],
	['/keys set openai --base-url ', []],
	[
		'/keys set --base-url http://a ',
		['/keys set --base-url http://a anthropic ', '/keys set --base-url http://a openai '],
	],
	['/model list --sort ', ['/model list --sort score', '/model list --sort age']],
	['/model list --sort=a', ['/model list --sort=age']],
	['/model list --tag red --t', ['/model list --tag red --tag ']],
	['/model list --sort age --so', []],
	['/model list --run 9', ['/model list --run 9f-2', '/model list --run 9f-1']],
	['/model list --pro', ['/model list --profile ', '/model list --project ']],
	['/model list x ', []],
	['/model use -- --s', []],
	['/keys set "ope', ['/keys set "openai" ']],
	["/keys set 'ope", ["/keys set 'openai' "]],
	['/keys set "openai" --ba', ['/keys set "openai" --base-url ']],
	['/keys set "openai"--ba', []],
	['/model list --sort "', ['/model list --sort "score"', '/model list --sort "age"']],
	['/model list --tag "red blue" --sort a', ['/model list --tag "red blue" --sort age']],
	['/model list --tag a\\ b --sort a', ['/model list --tag a\\ b --sort age']],
	["/model list --tag 'it", []],
	['/model "us', ['/model use ']],
	['/model list\n--sort a', []],
	['/ghost set ', []],
])('%j completes to %j', (line, expected) => {
	expect(lines(line)).toEqual(expected);
});

test('a noun completes its verbs, then the argument of its fallback verb', () => {
	expect(lines('/model ')).toEqual([
		'/model list',
		'/model use ',
		'/model openai/gpt',
		'/model openai/gpt-mini',
		'/model anthropic/claude',
	]);
	expect(lines('/model gpt')).toEqual(['/model openai/gpt', '/model openai/gpt-mini']);
	expect(lines('/models claude')).toEqual(['/models anthropic/claude']);
});

test('a value has its description if one is known', () => {
	const told: KnownValues = () => [{value: 'a1', hint: 'Parser'}, 'a2', {value: 'a 3', hint: ''}];
	expect(complete(entries, '/model list --run ', {valuesOf: told})).toEqual([
		{line: '/model list --run a1', label: 'a1', summary: 'Parser'},
		{line: '/model list --run a2', label: 'a2', summary: ''},
	]);
});

test('an exact match comes first', () => {
	const turned: KnownValues = () => ['openai/gpt-mini', 'openai/gpt'];
	expect(complete(entries, '/model use openai/gpt', {valuesOf: turned}).map(({label}) => label)).toEqual([
		'openai/gpt',
		'openai/gpt-mini',
	]);
});

test('a flag has its description', () => {
	expect(complete(entries, '/keys set --base', {valuesOf})).toEqual([
		{line: '/keys set --base-url ', label: '--base-url', summary: 'where it may go'},
	]);
});

test('a secret is never completed, not even after its flag [11]', () => {
	expect(lines('/keys set openai ')).toEqual([]);
	expect(lines('/keys set openai sk')).toEqual([]);
	expect(lines('/keys set openai --key ')).toEqual([]);
});

test('values that a line or a terminal would misread are not offered [1]', () => {
	expect(lines('/model use x --profile ')).toEqual(['/model use x --profile lab']);
});

test('Enter sends a line with an argument as typed unless another one is required', () => {
	const optional = (line: string) => complete(entries, line, {valuesOf}).map(({isOptional = false}) => isOptional);
	expect(optional('/keys set ')).toEqual([false, false]);
	expect(optional('/keys set o')).toEqual([true]);
	expect(optional('/model use ')).toEqual([true, true, true]);
	expect(optional('/model list --sort ')).toEqual([false, false]);
	expect(optional('/model list --so')).toEqual([false]);
});

test('at most 50 values are offered', () => {
	const many: KnownValues = () => Array.from({length: 5000}, (_, index) => `m${index}`);
	expect(complete(entries, '/model use m', {valuesOf: many}).length).toBe(50);
});

test('words of a shell complete in the same way, also after aliases', () => {
	const words = (...typed: readonly string[]) =>
		completeWords(entries, typed, {valuesOf, place: 'shell'}).map(({word}) => word);
	expect(words('')).toEqual(['keys', 'model']);
	expect(words()).toEqual(['keys', 'model']);
	expect(words('models', 'u')).toEqual(['use']);
	expect(words('models', 'use', 'claude')).toEqual(['anthropic/claude']);
	expect(words('model', '--sort')).toEqual([]);
});

test('an alias that runs a verb of its own is offered as that, where the name of its noun is not meant', () => {
	const own = [
		...entries,
		noun({name: 'box', aliases: ['boxes', 'cases'], summary: 'Boxes', verbs: [set, list], aliasFallback: 'list'}),
	];
	const labels = (line: string) => complete(own, line).map(({line: whole, summary}) => [whole, summary]);
	expect(labels('/box')).toEqual([['/box ', 'Boxes']]);
	expect(labels('/boxes')).toEqual([['/boxes', 'List']]);
	expect(labels('/ca')).toEqual([['/cases', 'List']]);
	expect(labels('/cases ').map(([line]) => line)).toEqual(['/cases list', '/cases set ']);
	expect(complete(own, '/boxes --sort ').map(({label}) => label)).toEqual(['score', 'age']);
	expect(complete(own, '/').map(({label}) => label)).toEqual(['/keys', '/model', '/box']);
});

test('Enter sends a dash alone, and completes the beginning of a flag', () => {
	const optional = (line: string) => new Set(complete(commands, line).map(({isOptional}) => isOptional === true));
	expect([optional('/connect -'), optional('/connect --')]).toEqual([new Set([true]), new Set([false])]);
});
