import {expect, test} from 'vitest';
import {readAllPages} from '../../src/platform/all-pages.ts';

const client = {listOrganizations: () => Promise.reject(new Error('not asked'))};

/** Returns a reader of a list with that many entries, which claims to have `total`. */
function listOf(count: number, total = count) {
	const asked: number[] = [];
	const all = Array.from({length: count}, (_, index) => index);
	return {
		asked,
		readPage: async ({page, page_size: size}: {readonly page: number; readonly page_size: number}) => {
			asked.push(page);
			return {items: all.slice((page - 1) * size, page * size), total};
		},
	};
}

test.each([
	[0, [1]],
	[100, [1]],
	[101, [1, 2]],
	[250, [1, 2, 3]],
])('a list of %i entries is read in the pages %j', async (count, pages) => {
	const {asked, readPage} = listOf(count);
	expect(await readAllPages(client, readPage)).toEqual(Array.from({length: count}, (_, index) => index));
	expect(asked).toEqual(pages);
});

test('reading stops after ten pages, and at an empty page if the total is wrong', async () => {
	const long = listOf(5000);
	expect(await readAllPages(client, long.readPage)).toHaveLength(1000);
	const wrong = listOf(3, 999);
	expect(await readAllPages(client, wrong.readPage)).toEqual([0, 1, 2]);
	expect(wrong.asked).toEqual([1, 2]);
});

test('reading follows the cursors of a server that gives them, however many entries it says there are', async () => {
	const asked: (string | undefined)[] = [];
	const found = await readAllPages(client, async ({cursor}) => {
		asked.push(cursor);
		const first = asked.length * 10;
		return {items: [first, first + 1], total: 2, next_cursor: asked.length < 3 ? `after ${first + 1}` : null};
	});
	expect(found).toEqual([10, 11, 20, 21, 30, 31]);
	expect(asked).toEqual([undefined, 'after 11', 'after 21']);
});
