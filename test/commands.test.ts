import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {fieldsOf, flagOf} from '../src/command/arguments.ts';
import {isNoun} from '../src/command/context.ts';
import {allCommands, findCommand} from '../src/command/table.ts';
import {recentKinds} from '../src/config/recents.ts';

const all = allCommands(commands);

/** Commands whose ids are local or secret: no remembered id completes them. */
const localIds = new Set(['resume', 'set', 'attach', 'end', 'share']);

test('every file is a listed command or noun of its name', () => {
	const files = readdirSync('commands', {recursive: true, encoding: 'utf8'});
	expect(files.sort()).toEqual(['index', ...commands.map(({name}) => name)].map(name => `${name}.ts`).sort());
});

test('no two names or aliases are the same', () => {
	const namesOf = (entries: ReadonlyArray<{readonly name: string; readonly aliases?: readonly string[]}>) =>
		entries.flatMap(({name, aliases = []}) => [name, ...aliases]);
	for (const names of [namesOf(commands), ...commands.filter(isNoun).map(({verbs}) => namesOf(verbs))]) {
		expect(names).toEqual([...new Set(names)]);
		expect(names.filter(name => !/^(?:[a-z][a-z-]*|\?)$/.test(name))).toEqual([]);
	}
});

test.each([
	...commands.map(entry => [entry.name, entry.summary] as const),
	...all.map(({path, command}) => [path, command.summary] as const),
])('the summary of %s fits a line: %s', (_path, summary) => {
	expect(summary).toMatch(/^[A-Z].*[^.\s]$/);
	expect(summary.length).toBeLessThanOrEqual(56);
});

test.each(all)('$path describes each argument; its positions and secrets are arguments', ({command}) => {
	const {args, positional = [], secret, describe = {}, rest} = command;
	const fields = fieldsOf(args);
	const names = fields.map(({name}) => name);
	expect(names).toEqual(expect.arrayContaining([...positional, ...(secret ? [secret] : [])]));
	expect(names.filter(name => !describe[name])).toEqual([]);
	expect(Object.keys(describe).filter(name => !names.includes(name))).toEqual([]);
	expect(!rest || positional.length > 0).toBe(true);

	// Required arguments come first, by position; a required flag only follows its position.
	const required = fields.filter(field => field.required).map(({name}) => name);
	const places = positional.filter(name => required.includes(name));
	expect(positional.slice(0, places.length)).toEqual(places);
	expect(required.length === places.length || places.length > 0).toBe(true);
});

test.each(all)('$path redefines no global flag', ({command}) => {
	const flags = fieldsOf(command.args).map(({name}) => flagOf(name));
	const reserved = ['json', 'exact', 'server', 'insecure-http', 'help', 'org', 'workspace', 'project'];
	expect(flags.filter(flag => reserved.includes(flag))).toEqual([]);
});

test.each(all)('examples of $path start with its name or run it', ({path, command}) => {
	const runs = (example: string) => findCommand(commands, example.split(' ')).command === command;
	expect((command.examples ?? []).filter(example => !example.startsWith(path) && !runs(example))).toEqual([]);
});

test('the fallbacks of a noun are among its verbs', () => {
	for (const {verbs, fallback, aliasFallback} of commands.filter(isNoun)) {
		const names = [undefined, ...verbs.map(({name}) => name)];
		expect([fallback, aliasFallback].every(name => names.includes(name))).toBe(true);
	}
});

test.each(all)('$path completes arguments that accept remembered ids', ({command}) => {
	const kinds = new Set<string>(recentKinds);
	const {completes = {}, positional = []} = command;
	const named = positional.filter(name => kinds.has(name) && !localIds.has(command.name));
	expect(Object.keys(completes)).toEqual(expect.arrayContaining(named));
});
