import {expect, test} from 'vitest';
import {groupBy} from '../../src/core/group-by.ts';

test('items are grouped in the order in which they came, and those without a key are left out', () => {
	const groups = groupBy(['ab', 'c', 'de', '', 'f'], text => (text === '' ? null : text.length));
	expect([...groups]).toEqual([
		[2, ['ab', 'de']],
		[1, ['c', 'f']],
	]);
});
