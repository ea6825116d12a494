import {expect, test} from 'vitest';
import {noun} from '../../src/command/command.ts';
import {allCommands, findCommand} from '../../src/command/table.ts';
import {entries, store} from './entries.ts';

const find = (...words: string[]) => {
	const {path, rest, command} = findCommand(entries, words);
	return [path, command.name, rest];
};

test.each([
	[
		['greet', 'Ada'],
		['greet', 'greet', ['Ada']],
	],
	[
		['hello', 'Ada'],
		['greet', 'greet', ['Ada']],
	],
	[
		['vault', 'set', 'x'],
		['vault set', 'set', ['x']],
	],
	[
		['vault', 'ls'],
		['vault list', 'list', []],
	],
	[['vault'], ['vault list', 'list', []]],
	[['store'], ['store list', 'list', []]],
	[
		['vault', '--all'],
		['vault list', 'list', ['--all']],
	],
	[
		['shop', 'list'],
		['store list', 'list', []],
	],
])('%j resolves to its command and arguments', (words, found) => {
	expect(find(...words)).toEqual(found);
});

test('an alias runs a verb of its own, under its own name; its other verbs are those of the noun', () => {
	const of = noun({...store, aliasFallback: 'list', fallback: 'set', aliases: ['shop', 'mall']});
	const found = (...words: string[]) => {
		const {path, rest} = findCommand([...entries.filter(({name}) => name !== 'store'), of], words);
		return [path, ...rest];
	};
	expect(found('mall')).toEqual(['mall']);
	expect(found('shop', '--all')).toEqual(['shop', '--all']);
	expect(found('shop', 'set', 'x')).toEqual(['store set', 'x']);
	expect(found('store')).toEqual(['store set']);
	const known = {message: 'Unknown verb for store: “lits”.'};
	expect(() => found('shop', 'lits')).toThrowError(expect.objectContaining(known));
});

test.each([
	[['gret'], 'Unknown command “gret”.', 'Did you mean `greet`? Run `help` to see them all.'],
	[['zzz'], 'Unknown command “zzz”.', 'Run `help` to see them all.'],
	[['Greet'], 'Unknown command “Greet”.', 'Did you mean `greet`? Run `help` to see them all.'],
	[['constructor'], 'Unknown command “constructor”.', 'Run `help` to see them all.'],
	[['store', 'lits'], 'Unknown verb for store: “lits”.', 'Did you mean `store list`? Choose one of set, list.'],
	[['vault', 'zzz'], 'Unknown verb for vault: “zzz”.', 'Choose one of set, list.'],
	[[], 'No command was given.', 'Run `help` to see them all.'],
])('%j is refused with suggestions', (words, message, hint) => {
	expect(() => find(...words)).toThrowError(expect.objectContaining({code: 'usage', message, hint}));
});

test.each([
	['app', 'Did you mean `/greet`? '],
	['shell', 'Did you mean `$ greet`? '],
] as const)('a command that only the %s has is suggested for there', (where, hint) => {
	const own = entries.map(entry => (entry.name === 'greet' ? {...entry, where} : entry));
	expect(() => findCommand(own, ['gret'])).toThrowError(
		expect.objectContaining({hint: `${hint}Run \`help\` to see them all.`}),
	);
});

test.each([
	['7', true],
	['0b5e', true],
	['0b5e0a1c-9c1f-4d4e-8b57-0123456789ab', true],
	['cafe', false],
	['a1', false],
	['0b5e; rm', false],
])('%s after a noun leads to what shows it: %s', (word, leads) => {
	const jobs = noun({
		...store,
		name: 'jobs',
		verbs: store.verbs.map(verb => ({...verb, name: verb.name === 'set' ? 'show' : verb.name})),
	});
	const hint = `${leads ? `Did you mean \`jobs show ${word}\`? ` : ''}Choose one of show, list.`;
	expect(() => findCommand([jobs], ['jobs', word])).toThrowError(expect.objectContaining({hint}));
});

test('a verb without its noun is refused with the only command that has it', () => {
	const only = {...store, verbs: store.verbs.map(verb => ({...verb, name: `${verb.name}up`}))};
	const hint = 'Did you mean `store setup`? Run `help` to see them all.';
	expect(() => findCommand([...entries, only], ['setup'])).toThrowError(expect.objectContaining({hint}));
	expect(() => find('set')).toThrowError(expect.objectContaining({message: 'Unknown command “set”.'}));
	const shellOnly = {...only, verbs: only.verbs.map(verb => ({...verb, where: 'shell' as const}))};
	expect(() => findCommand([shellOnly], ['setup'])).toThrowError(
		expect.objectContaining({message: 'Unknown command “setup”.'}),
	);
});

test('all commands are listed by their full names, in the order of the table', () => {
	expect(allCommands([store, ...entries.slice(0, 1)]).map(({path}) => path)).toEqual([
		'store set',
		'store list',
		'greet',
	]);
});
