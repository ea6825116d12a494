import fc from 'fast-check';
import {expect, test} from 'vitest';
import {expandedText, setComposerText} from '../../src/editor/editor.ts';
import {setHistory} from '../../src/editor/editor-history.ts';
import {layoutComposer} from '../../src/editor/editor-layout.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {boundaryFrom, nextBoundary, previousBoundary} from '../../src/editor/graphemes.ts';
import {chordOf, type InputToken, type KeyToken, keyToken} from '../../src/terminal/input/token.ts';
import {charactersRead} from '../steps.ts';
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

/** A prompt of so many lines, as an editor leaves it. */
const promptOf = (lines: number) => setComposerText(emptyComposer, 'line of text, 日本語 👩‍👩‍👧\n'.repeat(lines));

/** All keys but the one that sends the whole prompt. */
const editing = chords.filter(token => token.type !== 'key' || chordOf(token) !== 'enter');

/** Keys that begin at the end, in the middle and at the start of the prompt. */
const bursts = new Map<string, readonly InputToken[]>(
	Object.entries({
		typing: Array.from(
			{length: 100},
			(_, index): InputToken => (index % 3 === 2 ? keyToken('backspace') : {type: 'text', text: 'x'}),
		),
		...Object.fromEntries(
			editing.map(token => [`key ${chordOf(token as KeyToken)}`, Array.from({length: 20}, () => token)]),
		),
		'every key': editing.flatMap(token => [token, {type: 'text', text: 'é '} as const, token]),
	}),
);

test.each([...bursts])('the cost of a burst of keys does not grow with the prompt: %s', (_, burst) => {
	const cost = (lines: number) => {
		const prompt = promptOf(lines);
		return [prompt.text.length, prompt.text.length / 2, 0].map(place => {
			const caret = place === 0 ? 0 : prompt.text.lastIndexOf('\n', place - 1) + 1;
			const {state} = apply({...prompt, caret}, [{type: 'text', text: 'y'}]);
			return charactersRead(() => apply(state, burst));
		});
	};
	const small = Math.max(...cost(1000), 1);
	expect(Math.max(...cost(16_000))).toBeLessThan(1.5 * small);
	expect(small / burst.length).toBeLessThan(300_000);
});

test('the cost of drawing after a key does not grow with the prompt', () => {
	const cost = (lines: number) => {
		const {state} = typed('y', promptOf(lines));
		layoutComposer(state, 80, 10);
		return charactersRead(() => {
			let shown = state;
			for (const token of bursts.get('typing') ?? []) {
				shown = apply(shown, [token]).state;
				layoutComposer(shown, 80, 10);
			}
		});
	};
	expect(cost(16_000)).toBeLessThan(1.5 * cost(1000));
});
