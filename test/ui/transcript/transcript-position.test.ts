import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Heights, isBelow, lastPosition, moveBy, reveal} from '../../../src/ui/transcript/transcript-page.ts';

const heightsOf = (heights: readonly number[]): Heights => ({count: heights.length, of: index => heights[index] ?? 0});
const blocks = fc.array(fc.integer({min: 1, max: 9}), {minLength: 1, maxLength: 12});

/** The number of lines above a position. */
const lineAt = (heights: readonly number[], {block, line}: {block: number; line: number}) =>
	heights.slice(0, block).reduce((sum, height) => sum + height, 0) + line;

test('moving by lines adds them, up to both ends', () => {
	fc.assert(
		fc.property(blocks, fc.nat(60), fc.integer({min: -80, max: 80}), (heights, start, lines) => {
			const total = heights.reduce((sum, height) => sum + height, 0);
			const from = moveBy({block: 0, line: 0}, start, heightsOf(heights));
			const to = moveBy(from, lines, heightsOf(heights));
			const expected = Math.max(0, Math.min(total - 1, Math.min(total - 1, start) + lines));
			expect(lineAt(heights, to)).toBe(expected);
		}),
	);
});

test('the last position fills the window down to the last line', () => {
	fc.assert(
		fc.property(blocks, fc.integer({min: 1, max: 20}), (heights, rows) => {
			const total = heights.reduce((sum, height) => sum + height, 0);
			expect(lineAt(heights, lastPosition(rows, heightsOf(heights)))).toBe(Math.max(0, total - rows));
		}),
	);
});

test('revealing shows a block, at least its beginning, and moves nothing that is visible', () => {
	fc.assert(
		fc.property(blocks, fc.nat(60), fc.nat(11), fc.integer({min: 1, max: 20}), (heights, start, wanted, rows) => {
			const sizes = heightsOf(heights);
			const block = wanted % heights.length;
			const from = moveBy({block: 0, line: 0}, start, sizes);
			const to = reveal(from, block, rows, sizes);
			const first = lineAt(heights, {block, line: 0});
			const last = first + sizes.of(block) - 1;
			const top = lineAt(heights, to);
			expect(top).toBeLessThanOrEqual(first);
			expect(top + rows - 1).toBeGreaterThanOrEqual(Math.min(last, first + rows - 1));
			const before = lineAt(heights, from);
			if (before <= first && before + rows - 1 >= last) {
				expect(to).toEqual(from);
			}
		}),
	);
});

test('an empty transcript has a first position', () => {
	expect(lastPosition(10, heightsOf([]))).toEqual({block: 0, line: 0});
	expect(isBelow({block: 1, line: 0}, {block: 0, line: 5})).toBe(true);
});
