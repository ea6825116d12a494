import {expect, test} from 'vitest';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {highlightFound} from '../../../src/ui/transcript/transcript-page.ts';

test('matches are highlighted across styles, and other styles stay', () => {
	const inverse = '\u001B[7m';
	expect(highlightFound('an Error and \u001B[31manother er\u001B[0mror', 'error', createPalette({color: true}))).toBe(
		`an ${inverse}Error\u001B[0m and \u001B[31manother \u001B[0m${inverse}\u001B[31mer\u001B[0m${inverse}ror\u001B[0m`,
	);
	expect(highlightFound('an error', 'error', createPalette({color: false}))).toBe('an error');
});
