import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openRecents} from '../../src/config/recents.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const path = () => join(temporaryFolder(), 'recents.json');

test('ids come back newest first, once each, by profile and kind', async () => {
	const file = path();
	const recents = openRecents(file);
	expect(recents.recall('lab', 'run')).toEqual([]);
	recents.remember('lab', [
		{kind: 'run', id: 'one'},
		{kind: 'org', id: 'acme'},
	]);
	recents.remember('lab', [
		{kind: 'run', id: 'two'},
		{kind: 'run', id: 'three'},
	]);
	recents.remember('lab', [{kind: 'run', id: 'one'}]);
	recents.remember('other', [{kind: 'run', id: 'far'}]);
	await recents.settle(300_000);
	const again = openRecents(file);
	expect(again.recall('lab', 'run')).toEqual(['one', 'two', 'three']);
	expect(again.recall('lab', 'org')).toEqual(['acme']);
	expect(again.recall('lab', 'item')).toEqual([]);
	expect(again.recall('other', 'run')).toEqual(['far']);
	expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('changes are visible before they are written', async () => {
	const recents = openRecents(path());
	recents.remember('lab', [{kind: 'task', id: 'web-shop'}]);
	recents.remember('far', [{kind: 'task', id: 'triage'}]);
	expect(recents.recall('lab', 'task')).toEqual(['web-shop']);
	recents.forget('lab');
	expect([recents.recall('lab', 'task'), recents.recall('far', 'task')]).toEqual([[], ['triage']]);
	await recents.settle(300_000);
	expect([recents.recall('lab', 'task'), recents.recall('far', 'task')]).toEqual([[], ['triage']]);
});

test("two processes see each other's ids, and neither overwrites the other's [18]", async () => {
	const file = path();
	const [one, other] = [openRecents(file), openRecents(file)];
	one.remember('lab', [{kind: 'run', id: 'a'}]);
	other.remember('lab', [{kind: 'run', id: 'b'}]);
	await Promise.all([one.settle(300_000), other.settle(300_000)]);
	expect(one.recall('lab', 'run').toSorted()).toEqual(['a', 'b']);
});

test('the newest 30 ids of a kind and 20 profiles are kept', async () => {
	const file = path();
	const recents = openRecents(file);
	recents.remember(
		'lab',
		Array.from({length: 40}, (_, index) => ({kind: 'item', id: `${index}`})),
	);
	await recents.settle(300_000);
	expect(recents.recall('lab', 'item')).toEqual(Array.from({length: 30}, (_, index) => `${index}`));
	for (let index = 0; index < 20; index++) {
		recents.remember(`p${index}`, [{kind: 'org', id: 'acme'}]);
	}

	await recents.settle(300_000);
	expect(recents.recall('lab', 'item')).toEqual([]);
	expect(recents.recall('p0', 'org')).toEqual(['acme']);
});

test('a removed profile leaves no ids', async () => {
	const file = path();
	const recents = openRecents(file);
	recents.remember('lab', [{kind: 'run', id: 'one'}]);
	recents.remember('other', [{kind: 'run', id: 'two'}]);
	recents.forget('lab');
	await recents.settle(300_000);
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({profiles: {other: {run: ['two']}}});
});

test.each([
	['a blank', 'a b'],
	['an escape', 'a\u001B[2J'],
	['an override', 'a\u202Eb'],
	['a quote', "a'b"],
	['a substitution', '$(reboot)'],
	['a flag', '--yes'],
	['nothing', ''],
	['too much', 'x'.repeat(129)],
])('%s is not an id for a command line: %j is not kept [1]', async (_, id) => {
	const recents = openRecents(path());
	recents.remember('lab', [{kind: 'run', id}]);
	await recents.settle(300_000);
	expect(recents.recall('lab', 'run')).toEqual([]);
});

test.each([
	['', []],
	['{"profiles":', []],
	['[]', []],
	['{"profiles":{"lab":{"run":["good",1,"\\u001b[2J",null],"org":{"a":1}}}}', ['good']],
	['{"profiles":{"__proto__":{"run":["bad"]}}}', []],
])('the file %j is read leniently, and repaired by the next id', async (text, expected) => {
	const file = path();
	writeFileSync(file, text, {mode: 0o600});
	const recents = openRecents(file);
	expect(recents.recall('lab', 'run')).toEqual(expected);
	recents.remember('lab', [{kind: 'run', id: 'next'}]);
	await recents.settle(300_000);
	expect(recents.recall('lab', 'run')).toEqual(['next', ...expected]);
});

test('names of inherited properties are ordinary profile names', async () => {
	const recents = openRecents(path());
	recents.remember('__proto__', [{kind: 'run', id: 'a'}]);
	await recents.settle(300_000);
	expect(recents.recall('__proto__', 'run')).toEqual(['a']);
	expect(recents.recall('toString', 'run')).toEqual([]);
});

test('a symbolic link in its place is not followed and causes no failure [10]', async () => {
	const file = path();
	const target = join(temporaryFolder(), 'target');
	const text = '{"profiles":{"lab":{"run":["a"]}}}';
	writeFileSync(target, text);
	symlinkSync(target, file);
	const recents = openRecents(file);
	recents.remember('lab', [{kind: 'run', id: 'b'}]);
	await recents.settle(300_000);
	expect(recents.recall('lab', 'run')).toEqual([]);
	expect(readFileSync(target, 'utf8')).toBe(text);
});
