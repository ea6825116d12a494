import {expect, test} from 'vitest';
import {entryOf} from '../../src/core/entry-of.ts';

test('an entry is found by its name, and nothing inherited is', () => {
	const record = {name: 'Ada'};
	expect(
		['name', 'other', 'constructor', 'toString', '__proto__', 'hasOwnProperty'].map(name => entryOf(record, name)),
	).toEqual(['Ada', undefined, undefined, undefined, undefined, undefined]);
});
