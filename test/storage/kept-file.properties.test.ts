import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isJsonObject, parseJson} from '../../src/core/json.ts';
import {type KeptFile, openKeptFile, stampOf, withNewest, withoutEntry} from '../../src/storage/kept-file.ts';
import {inMemory, temporaryFolder} from './temporary.ts';

type Entries = ReadonlyMap<string, number>;

const maxEntries = 1000;
const name = fc.string({unit: fc.constantFrom('a', 'b', 'c', '1', '日'), minLength: 1, maxLength: 2});
const step = fc.record({
	/** Which of two processes does it. */
	by: fc.constantFrom(0, 1),
	act: fc.constantFrom('update', 'updateLater', 'forget', 'settle', 'read'),
	name,
});

function open(path: string): KeptFile<Entries> {
	return openKeptFile<Entries>(path, {
		parse(text) {
			const entries = parseJson(text ?? '');
			return new Map(
				Object.entries(isJsonObject(entries) ? entries : {}).filter(
					(entry): entry is [string, number] => typeof entry[1] === 'number',
				),
			);
		},
		print: entries => JSON.stringify(Object.fromEntries(entries)),
	});
}

/** Waits for all earlier changes, unlike `settle` as long as it takes. */
const allWritten = (file: KeptFile<Entries>) => file.update(entries => entries);

const sorted = (entries: Entries) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

test('two processes at once keep the entries of both [18]', async () => {
	const folder = temporaryFolder(inMemory);
	let run = 0;
	await fc.assert(
		fc.asyncProperty(fc.uniqueArray(name), fc.uniqueArray(name), fc.boolean(), async (first, second, waits) => {
			run += 1;
			const path = join(folder, `${run}.json`);
			const files = [open(path), open(path)] as const;
			const written = [first, second].flatMap((names, index) =>
				names.map(async each => {
					const file = files[index === 0 ? 0 : 1];
					const add = (entries: Entries) => withNewest(entries, `${index}-${each}`, index, maxEntries);
					if (waits) {
						await file.update(add);
					} else {
						file.updateLater(add);
					}
				}),
			);
			await Promise.all(written);
			await Promise.all(files.map(allWritten));
			const names = [...first.map(each => `0-${each}`), ...second.map(each => `1-${each}`)].sort();
			expect(sorted(open(path).read()).map(([each]) => each)).toEqual(names);
			expect(files.map(file => [...file.read().keys()].sort())).toEqual([names, names]);
		}),
		{numRuns: 40},
	);
});

test('a file reads as its own changes say, written or not, in the order in which they were made', async () => {
	const folder = temporaryFolder(inMemory);
	let run = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, {maxLength: 12}), async steps => {
			run += 1;
			// Both processes write one file, each under names of its own.
			const path = join(folder, `${run}.json`);
			const files = [open(path), open(path)] as const;
			const expected = [new Map<string, number>(), new Map<string, number>()] as const;
			for (const [index, {by, act, name: suffix}] of steps.entries()) {
				const file = files[by === 0 ? 0 : 1];
				const own = expected[by === 0 ? 0 : 1];
				const key = `${by}-${suffix}`;
				if (act === 'forget') {
					own.delete(key);
					file.updateLater(entries => withoutEntry(entries, key));
				} else if (act === 'settle') {
					await file.settle(300_000);
				} else if (act !== 'read') {
					own.set(key, index);
					const change = (entries: Entries) => withNewest(entries, key, index, maxEntries);
					await (act === 'update' ? file.update(change) : file.updateLater(change));
				}

				expect(sorted(file.recall()).filter(([each]) => each.startsWith(`${by}-`))).toEqual(sorted(own));
			}

			await Promise.all(files.map(allWritten));
			expect(sorted(open(path).read())).toEqual(sorted(new Map([...expected[0], ...expected[1]])));
		}),
		{numRuns: 40},
	);
});

test('the newest entry is last, an entry is there once, and the oldest ones are dropped', () => {
	fc.assert(
		fc.property(fc.array(name), fc.integer({min: 1, max: 4}), (names, max) => {
			let entries: Entries = new Map();
			for (const [index, each] of names.entries()) {
				entries = withNewest(entries, each, index, max);
			}

			const newestFirst = [...new Set(names.toReversed())].slice(0, max);
			expect([...entries.keys()].toReversed()).toEqual(newestFirst);
		}),
	);
});

test('a change that fails is dropped, and the ones after it are written', async () => {
	const path = join(temporaryFolder(), 'file.json');
	const file = open(path);
	const fails = file.update(() => {
		throw new Error('no');
	});
	file.updateLater(entries => withNewest(entries, 'b', 1, maxEntries));
	await expect(fails).rejects.toThrow('no');
	await allWritten(file);
	expect([...open(path).read()]).toEqual([['b', 1]]);

	const nowhere = open(join(path, 'no', 'file.json'));
	nowhere.updateLater(entries => withNewest(entries, 'a', 1, maxEntries));
	await nowhere.settle(300_000);
	expect([...nowhere.recall()]).toEqual([]);
});

test('a damaged file that must not be replaced stays as it is', async () => {
	const path = join(temporaryFolder(), 'file.json');
	await fc.assert(
		fc.asyncProperty(fc.string(), async text => {
			writeFileSync(path, text, {mode: 0o600});
			const file = openKeptFile<string>(path, {
				parse() {
					throw new Error('damaged');
				},
				print: content => content,
			});
			expect(() => file.read()).toThrow('damaged');
			await expect(file.update(() => 'new')).rejects.toThrow('damaged');
			file.updateLater(() => 'new');
			await file.settle(300_000);
			expect(readFileSync(path, 'utf8')).toBe(text);
		}),
		{numRuns: 20},
	);
});

test('a file keeps its stamp until it is written, replaced by one of the same size, or gone', () => {
	const folder = temporaryFolder();
	const file = join(folder, 'a.json');
	expect(stampOf(file)).toBe('none');

	writeFileSync(file, 'one');
	const first = stampOf(file);
	expect(stampOf(file)).toBe(first);

	writeFileSync(join(folder, 'new.json'), 'two');
	renameSync(join(folder, 'new.json'), file);
	const second = stampOf(file);
	expect(second).not.toBe(first);

	writeFileSync(file, 'longer');
	expect(stampOf(file)).not.toBe(second);
});
