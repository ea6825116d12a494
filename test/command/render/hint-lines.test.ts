import fc from 'fast-check';
import {expect, test} from 'vitest';
import {hintLines} from '../../../src/command/render/hint-lines.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';

const palette = createPalette({color: false});
const word = fc.stringMatching(/^[a-z][a-z.:/-]{0,11}$/);
const words = fc.array(word, {minLength: 1, maxLength: 8}).map(each => each.join(' '));

test('a command in a hint stays in one line at every width that it fits in, and nothing is added or lost', () => {
	fc.assert(
		fc.property(words, words, words, fc.integer({min: 10, max: 120}), (before, command, after, width) => {
			const lines = hintLines(`${before} \`${command}\` ${after}`, {width, palette, place: 'app'});
			const shown = `/${command}`;
			expect(lines.join('').replaceAll(' ', '')).toBe(`${before}${shown}${after}`.replaceAll(' ', ''));
			expect(lines.every(line => lineWidth(line) <= width)).toBe(true);
			if (shown.length <= width) {
				expect(lines.some(line => line.includes(shown))).toBe(true);
			}
		}),
	);
});

test('a command that is wider than the line is broken at a space', () => {
	const lines = hintLines('Set it: `config set windows.some-model 128000`', {width: 24, palette, place: 'app'});
	expect(lines).toEqual(['Set it: /config set', 'windows.some-model', '128000']);
});

test('a command follows the sign of a hint in its own line', () => {
	expect(
		hintLines('Set it: `config set a 1`', {width: 20, palette, place: 'app', first: '  → ', rest: '    '}),
	).toEqual(['  → Set it:', '    /config set a 1']);
});
