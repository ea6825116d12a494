import {expect, test} from 'vitest';
import {createListMemo} from '../../../src/core/list/list-memo.ts';

test('the result for the same items in the same order is made once', () => {
	let count = 0;
	const memo = createListMemo((items: readonly {readonly name: string}[]) => {
		count += 1;
		return items.map(({name}) => name);
	});
	const [a, b] = [{name: 'a'}, {name: 'b'}];
	const first = memo([a, b]);
	expect([memo([a, b]) === first, count]).toEqual([true, 1]);
	expect(memo([a])).toEqual(['a']);
	expect(memo([a, {...b}])).toEqual(['a', 'b']);
	expect(memo([b, a])).toEqual(['b', 'a']);
	expect(count).toBe(4);
});
