import fc from 'fast-check';
import {expect, test} from 'vitest';
import {graphemeSegments} from '../../../src/terminal/text/width.ts';
import {expectLinear} from '../../growth.ts';

const family = '👨‍👩‍👧';
/** Units that join their neighbours in one way or another, and halves of pairs. */
const units =
	'a|\u0020|\n|\r|e\u0301|\u0301|漢|한|\u1112\u1161|🇩|🇩🇪|\u200d|👍🏽|🏽|क्ष|\u094d|กำ|\ud83d|\udc68|\u{e0100}|\ufe0f|1\ufe0f\u20e3'
		.split('|')
		.concat(family);

test('a long text is split as it is at once, at any place where a window ends', () => {
	const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});
	const piece = fc.tuple(fc.constantFrom(...units), fc.integer({min: 1, max: 1500})).map(([unit, n]) => unit.repeat(n));
	fc.assert(
		fc.property(fc.array(piece, {minLength: 1, maxLength: 5}), pieces => {
			const text = pieces.join('').slice(0, 9000);
			const atOnce = Array.from(segmenter.segment(text), ({segment}) => segment);
			expect(Array.from(graphemeSegments(text))).toEqual(atOnce);
		}),
		{numRuns: 15},
	);
});

test('the time of a text in one line grows with its length, also for one of marks alone', () => {
	expectLinear(size => Array.from(graphemeSegments(family.repeat(size))), 1000);
	expectLinear(size => Array.from(graphemeSegments('\u0301'.repeat(size))), 2000);
});
