import {createHash} from 'node:crypto';
import {expect, test} from 'vitest';
import {createListHash} from '../../src/core/list-start.ts';

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

type Item = {readonly text: string};

function counted() {
	const read: Item[] = [];
	const hash = createListHash<Item>(item => {
		read.push(item);
		return JSON.stringify(item);
	});
	return {hash, read: () => read.splice(0)};
}

test('the hash of a list is that of its JSON, however it grows, shrinks or changes', () => {
	const {hash} = counted();
	const list = Array.from({length: 6}, (_, index) => ({text: `“${index}”`}));
	const changed = list.with(2, {text: 'another'});
	for (const items of [[], list.slice(0, 1), list.slice(0, 4), list.slice(0, 2), changed, list, list.slice(1)]) {
		expect(hash(items, items.length)).toBe(sha256(items));
	}

	expect(hash(list, 3)).toBe(sha256(list.slice(0, 3)));
	expect(hash(list, 99)).toBe(sha256(list));
});

test('a list that grows is read only where it is new', () => {
	const {hash, read} = counted();
	const list = Array.from({length: 1000}, (_, index) => ({text: `${index}`}));
	hash(list, 1000);
	expect(read()).toHaveLength(1000);
	const [answer, next] = [{text: 'answer'}, {text: 'next'}];
	hash([...list, answer, next], 1000);
	hash([...list, answer, next], 1002);
	expect(read()).toEqual([answer, next]);
	// What a run has made is compared with its copy in the transcript, and continued.
	const copies = [...list, {...answer}, {...next}];
	expect(hash([...copies, answer], 1003)).toBe(sha256([...copies, answer]));
	expect(read()).toHaveLength(5);
	hash([...copies, answer], 1003);
	expect(read()).toEqual([]);
});
