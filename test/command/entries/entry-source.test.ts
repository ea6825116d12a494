import {expect, test} from 'vitest';
import {isNoun} from '../../../src/command/context.ts';
import {type EntrySource, joinEntries} from '../../../src/command/entries/entry-source.ts';
import {isEntryName, promptEntry} from '../../../src/command/entries/prompt-entry.ts';
import {readLine} from '../../../src/command/line.ts';
import {entries} from '../entries.ts';

const named = (...names: readonly string[]) =>
	names.map(name => promptEntry({name, summary: name, textFor: typed => typed}));

function source(kind: string, next: readonly (readonly string[])[]): EntrySource {
	let current = named();
	const waiting = [...next];
	return {
		kind,
		entries: () => current,
		async refresh() {
			const names = waiting.shift();
			if (!names) {
				throw new Error('gone');
			}

			current = named(...names);
		},
	};
}

test('built-in names and aliases win, then the first source; each clash is told once', async () => {
	const joined = joinEntries(entries, [
		source('prompt file', [
			['greet', 'hello', 'mine'],
			['greet', 'mine'],
		]),
		source('skill', [['mine', 'own']]),
	]);
	expect(joined.all()).toBe(entries);
	expect(await joined.refresh()).toEqual([
		'The prompt file “greet” is not available: /greet is a built-in command. Rename it.',
		'The prompt file “hello” is not available: /hello is a built-in command. Rename it.',
		'The skill “mine” is not available: /mine is a prompt file. Rename it.',
	]);
	const all = joined.all();
	expect(all.slice(entries.length).map(({name}) => name)).toEqual(['mine', 'own']);
	expect(joined.all()).toBe(all);
	expect(await joined.refresh()).toEqual([]);
});

test('what follows the name of such a command is its argument as typed, quotes and flags included', () => {
	const all = [...entries, ...named('fix')];
	expect(readLine(`/fix  don't --json -- it `, all)).toMatchObject({
		rest: ['fix', '--', `don't --json -- it`],
		flags: {json: false},
	});
	expect(readLine('/fix', all).rest).toEqual(['fix']);
	expect(() => readLine(`/fixes don't`, all)).toThrow('Unclosed quote');
	const [fix] = named('fix');
	expect(fix && !isNoun(fix) && fix.takesLine).toBe(true);
});

test.each([
	['review', true],
	['code-review_2:x', true],
	['Review', false],
	['../x', false],
	['a b', false],
	['', false],
	['2x', false],
	['a'.repeat(65), false],
])('“%s” as a name: %s', (name, isName) => {
	expect(isEntryName(name)).toBe(isName);
});
