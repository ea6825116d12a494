import fc from 'fast-check';
import {expect, test} from 'vitest';
import {cutApart, fitFacts, fitHints, fitTitle} from '../../../src/terminal/text/fit-parts.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';

const hints = ['Enter open', 'Tab sort', 'Ctrl+T exact times', 'Esc close'];

test('hints are left out whole, from the last but one; the one that closes stays the longest', () => {
	expect([60, 54, 40, 30, 21, 12, 8].map(columns => fitHints(hints, columns))).toEqual([
		'Enter open · Tab sort · Ctrl+T exact times · Esc close',
		'Enter open · Tab sort · Ctrl+T exact times · Esc close',
		'Enter open · Tab sort · Esc close',
		'Enter open · Esc close',
		'Esc close',
		'Esc close',
		'',
	]);
	expect(fitHints([], 10)).toBe('');
});

test('a title is whole as long as it can be beside its last hint', () => {
	const at = (columns: number) =>
		fitTitle('Parts of a far place', {facts: [' (40) without id', ' (40)'], hints, role: String}, columns);
	expect([96, 90, 82, 60, 40, 34, 30, 20].map(at)).toEqual([
		'Parts of a far place (40) without id · Enter open · Tab sort · Ctrl+T exact times · Esc close',
		'Parts of a far place (40) · Enter open · Tab sort · Ctrl+T exact times · Esc close',
		'Parts of a far place (40) · Enter open · Tab sort · Ctrl+T exact times · Esc close',
		'Parts of a far place (40) · Enter open · Esc close',
		'Parts of a far place (40) · Esc close',
		'Parts of a far place · Esc close',
		'Parts of a far pl… · Esc close',
		'Parts of a far place',
	]);
});

test('facts are left out whole, from the last one, and names of one beginning keep their ends', () => {
	expect([40, 27, 18, 7, 5].map(columns => fitFacts('3 h ago · 3f2a1b0c · 12 messages', columns))).toEqual([
		'3 h ago · 3f2a1b0c · 12 messages',
		'3 h ago · 3f2a1b0c',
		'3 h ago · 3f2a1b0c',
		'3 h ago',
		'3 h …',
	]);
	expect(
		cutApart(['Fix the failing test (2)', 'Fix the failing test (1)', 'Fix it', 'Fix the docs of it'], 16),
	).toEqual(['Fix the…test (2)', 'Fix the…test (1)', 'Fix it', 'Fix the docs of…']);
});

test('names that differ at either end look different in any width of 12 cells or more, and none is wider', () => {
	const word = fc.stringMatching(/^[a-z一-二]{1,5}$/);
	const text = fc.stringMatching(/^[a-z一-二 ]{0,40}$/);
	fc.assert(
		fc.property(word, word, text, fc.integer({min: 12, max: 60}), fc.boolean(), (one, other, rest, columns, isHead) => {
			const names = [one, other].map(each => (isHead ? each + rest : `${rest} ${each}`));
			const [first = '', second = ''] = cutApart(names, columns);
			expect(first === second).toBe(names[0] === names[1]);
			expect(Math.max(lineWidth(first), lineWidth(second))).toBeLessThanOrEqual(columns);
		}),
	);
});

test('no title with hints is wider than the window, and none of its hints is cut', () => {
	const text = fc.stringMatching(/^[a-z一-二]{1,60}$/);
	fc.assert(
		fc.property(text, fc.array(text, {minLength: 1, maxLength: 5}), fc.integer({min: 1, max: 160}), (...given) => {
			const [title, names, columns] = given;
			const line = fitTitle(title, {facts: [' (1 of 2)'], hints: names, role: String}, columns);
			expect(lineWidth(line)).toBeLessThanOrEqual(columns);
			for (const part of line.split(' · ').slice(1)) {
				expect(names).toContain(part);
			}
		}),
	);
});
