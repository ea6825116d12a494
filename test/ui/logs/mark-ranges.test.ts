import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {StyledSpan} from '../../../src/terminal/text/sgr.ts';
import {markRanges} from '../../../src/ui/logs/log-spans.ts';
import {expectLinear} from '../../growth.ts';

const bold = (span: StyledSpan): StyledSpan => ({...span, style: {...span.style, bold: true}});
const plain = (text: string): StyledSpan => ({text, style: {}});

test('what is in a range is marked, across the ends of spans, and nothing else', () => {
	const texts = fc.array(fc.string({maxLength: 5}), {maxLength: 6});
	const steps = fc.array(fc.tuple(fc.nat(4), fc.integer({min: 1, max: 6})), {maxLength: 6});
	fc.assert(
		fc.property(texts, steps, (given, apart) => {
			let at = 0;
			const ranges = apart.map(([gap, length]) => {
				at += gap + length;
				return [at - length, at] as const;
			});
			const marked = markRanges(given.map(plain), ranges, bold);
			expect(marked.map(({text}) => text).join('')).toBe(given.join(''));
			expect(marked.filter(({text}) => text === '')).toEqual([]);
			const isMarked = marked.flatMap(({text, style}) => Array<boolean>(text.length).fill(style.bold === true));
			expect(isMarked).toEqual(
				[...Array(given.join('').length).keys()].map(place => ranges.some(([from, to]) => place >= from && place < to)),
			);
		}),
	);
});

test('the cost of marking grows with the number of ranges', () => {
	expectLinear(count => {
		const ranges = Array.from({length: count}, (_, index) => [2 * index, 2 * index + 1] as const);
		return markRanges([plain('ab'.repeat(count))], ranges, bold);
	}, 500);
});
