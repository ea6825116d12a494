import {expect, test} from 'vitest';
import {highlightFound} from '../../../src/ui/transcript/transcript-find.ts';

test('matches are highlighted across styles, and other styles stay', () => {
	const inverse = '\u001B[7m';
	expect(highlightFound('an Error and \u001B[31manother er\u001B[0mror', 'error', {color: true})).toBe(
		`an ${inverse}Error\u001B[0m and \u001B[31manother \u001B[0m\u001B[31m${inverse}er\u001B[0m${inverse}ror\u001B[0m`,
	);
	expect(highlightFound('an error', 'error', {color: false})).toBe('an error');
});
