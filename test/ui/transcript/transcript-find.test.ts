import {expect, test} from 'vitest';
import {highlightFound} from '../../../src/ui/transcript/transcript-find.ts';

test('what is searched for stands out in its line, across styles, and leaves the other styles as they are', () => {
	const inverse = '\u001B[7m';
	expect(highlightFound('an Error and \u001B[31manother er\u001B[0mror', 'error', {color: true})).toBe(
		`an ${inverse}Error\u001B[0m and \u001B[31manother \u001B[0m\u001B[31m${inverse}er\u001B[0m${inverse}ror\u001B[0m`,
	);
	expect(highlightFound('an error', 'error', {color: false})).toBe('an error');
});
