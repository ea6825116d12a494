import fc from 'fast-check';
import {expect, test} from 'vitest';
import {expandedText, setComposerText} from '../../src/editor/editor.ts';
import {setHistory} from '../../src/editor/editor-history.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {boundaryFrom, nextBoundary, previousBoundary} from '../../src/editor/graphemes.ts';
import {type InputToken, keyToken} from '../../src/terminal/input/token.ts';
import {expectLinear} from '../growth.ts';
import {apply, typed} from './composer-helpers.ts';

const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});

function boundariesOf(text: string): ReadonlySet<number> {
	return new Set([...Array.from(segmenter.segment(text), ({index}) => index), text.length]);
}

/** Texts made of what joins its neighbours: marks, joiners, flags, jamo, conjuncts, line ends. */
const texts = fc
	.array(
		fc.oneof(
			fc.string({unit: 'grapheme', maxLength: 3}),
			fc.constantFrom(
				'a',
				'é',
				'e\u0301',
				'\u0301',
				'\u200d',
				'🇩',
				'🇪',
				'👩',
				'👨‍👩‍👧',
				'🏽',
				'\u1112',
				'\u1161',
				'\u11ab',
				'한',
				'क',
				'\u094d',
				'ष',
				'\u0600',
				'\n',
				'\t',
				' ',
			),
		),
		{maxLength: 20},
	)
	.map(pieces => pieces.join(''));

const chords: readonly InputToken[] = [
	...['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete', 'enter'].map(name => keyToken(name)),
	...['left', 'right', 'a', 'e', 'k', 'u', 'w', 'y', 't', 'j', '_', 'd'].map(name =>
		keyToken(name, {ctrl: true, alt: false, shift: false}),
	),
	...['b', 'f', 'd', 'y', 'backspace', 'enter'].map(name => keyToken(name, {ctrl: false, alt: true, shift: false})),
];
const tokens = fc.array(
	fc.oneof(
		texts.map((text): InputToken => ({type: 'text', text})),
		texts.map((text): InputToken => ({type: 'paste', text, truncated: false})),
		fc.constantFrom(...chords),
	),
	{maxLength: 25},
);

test('boundaries found near the caret equal those of the whole text', () => {
	fc.assert(
		fc.property(texts, text => {
			const boundaries = [...boundariesOf(text)].sort((a, b) => a - b);
			expect(boundaries.slice(0, -1).map(offset => nextBoundary(text, offset))).toEqual(boundaries.slice(1));
			expect(boundaries.slice(1).map(offset => previousBoundary(text, offset))).toEqual(boundaries.slice(0, -1));
			const nearest = Array.from(text, (_, index) => boundaries.find(boundary => boundary >= index));
			expect(nearest.map((_, index) => boundaryFrom(text, index))).toEqual(nearest);
		}),
		{numRuns: 1000},
	);
});

test('any keys leave the caret on a boundary and throw nothing', () => {
	fc.assert(
		fc.property(tokens, fc.array(texts, {maxLength: 3}), fc.integer({min: 1, max: 20}), (input, history, columns) => {
			let state = setHistory(emptyComposer, history);
			for (const token of input) {
				state = apply(state, [token], columns).state;
				expect(boundariesOf(state.text)).toContain(state.caret);
			}
		}),
		{numRuns: 500},
	);
});

test('typing, moving and deleting match a simple model', () => {
	const steps = fc.array(
		fc.oneof(fc.constantFrom('a', 'b', ' ', '日', '👨‍👩‍👧'), fc.constantFrom('left', 'right', 'backspace', 'delete')),
		{maxLength: 40},
	);
	fc.assert(
		fc.property(steps, all => {
			const before: string[] = [];
			const after: string[] = [];
			const shift = (from: string[], to: string[]) => to.push(...from.splice(-1));
			const models: Readonly<Record<string, () => void>> = {
				left: () => shift(before, after),
				right: () => shift(after, before),
				backspace: () => before.pop(),
				delete: () => after.pop(),
			};
			const input = all.map((step): InputToken => {
				const model = models[step];
				(model ?? (() => before.push(step)))();
				return model ? keyToken(step) : {type: 'text', text: step};
			});
			const {state} = apply(emptyComposer, input);
			expect({text: state.text, caret: state.caret}).toEqual({
				text: [...before, ...after.toReversed()].join(''),
				caret: before.join('').length,
			});
		}),
		{numRuns: 500},
	);
});

test('repeated undo restores the first text', () => {
	fc.assert(
		fc.property(texts, tokens, (start, input) => {
			const begun = setComposerText(emptyComposer, start);
			const edits = input.filter(token => token.type !== 'key' || !['enter', 'up', 'down', '_'].includes(token.name));
			let {state} = apply({...begun, edits: []}, edits);
			while (state.edits.length > 0) {
				state = apply(state, [keyToken('_', {ctrl: true, alt: false, shift: false})]).state;
			}

			expect(state.text).toBe(begun.text);
		}),
	);
});

test('text and pastes are sent as they were entered', () => {
	fc.assert(
		fc.property(fc.array(texts, {maxLength: 6}), pieces => {
			const {state} = apply(
				emptyComposer,
				pieces.map((text, index) => (index % 2 === 0 ? {type: 'text', text} : {type: 'paste', text, truncated: false})),
			);
			expect(expandedText(state)).toBe(pieces.join('').replaceAll(/\r\n?/g, '\n'));
		}),
	);
});

test('the cost of a burst of keys does not grow with the prompt', () => {
	const burst = Array.from(
		{length: 100},
		(_, index): InputToken => (index % 3 === 2 ? keyToken('backspace') : {type: 'text', text: 'x'}),
	);
	const promptOf = (lines: number) =>
		typed('', setComposerText(emptyComposer, 'line of text, 日本語 👩‍👩‍👧\n'.repeat(lines))).state;
	const prompts = new Map([500, 1000, 2000, 4000].map(lines => [lines, promptOf(lines)]));
	const long = prompts.get(4000) ?? emptyComposer;
	expect(apply(long, burst).state.text.length).toBe(long.text.length + 34);
	expectLinear(lines => apply(prompts.get(lines) ?? long, burst), 1000, 1);
});
