import {expect, test} from 'vitest';
import {alignPoints} from '../../../commands/model.ts';

test('decimal points stand below each other, and other cells stay as they are', () => {
	expect(alignPoints(['0.025', '15.00', '$1.2', '3', '1,000', 'unknown', ''])).toEqual([
		'0.025',
		'15.00 ',
		'$1.2  ',
		'3    ',
		'1,000    ',
		'unknown',
		'',
	]);
	expect(alignPoints(['1', '20'])).toEqual(['1', '20']);
	expect(alignPoints([])).toEqual([]);
});
