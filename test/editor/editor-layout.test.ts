import fc from 'fast-check';
import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {layoutComposer} from '../../src/editor/editor-layout.ts';
import {type ComposerState, emptyComposer} from '../../src/editor/editor-state.ts';
import {isSimple, isWide} from '../../src/editor/graphemes.ts';
import {safeText} from '../../src/terminal/text/safe-text.ts';
import {textWidth} from '../../src/terminal/text/width.ts';
import {keys, pasted, shownText, typed} from '../store/composer-helpers.ts';

const {left, up, down, home} = keys;

function layout(input: string, columns: number, maxRows: number) {
	return layoutComposer(typed(input, emptyComposer, columns).state, columns, maxRows);
}

test.each([
	['nothing', '', 10, {rows: [''], caret: {row: 0, column: 0}}],
	['a line', 'abc', 10, {rows: ['abc'], caret: {row: 0, column: 3}}],
	['a line that wraps between words', 'go to the end', 9, {rows: ['go to ', 'the end'], caret: {row: 1, column: 7}}],
	['a word that fits exactly, with its blank', 'abcd ef', 5, {rows: ['abcd ', 'ef'], caret: {row: 1, column: 2}}],
	[
		'the caret behind such a word beside it',
		`abcd ef${left.repeat(3)}`,
		5,
		{rows: ['abcd ', 'ef'], caret: {row: 0, column: 4}},
	],
	['the caret behind such a blank in the row below', `abcd `, 5, {rows: ['abcd ', ''], caret: {row: 1, column: 0}}],
	['more blanks than fit', 'abcd   ef', 5, {rows: ['abcd ', '  ef'], caret: {row: 1, column: 4}}],
	['a word that is longer than a row', 'a bcdefgh', 5, {rows: ['a ', 'bcde', 'fgh'], caret: {row: 2, column: 3}}],
	[
		'lines that are wrapped one by one',
		`abcd\nab cd${home}${left}`,
		5,
		{rows: ['abcd', 'ab ', 'cd'], caret: {row: 0, column: 4}},
	],
	['wide characters, never cut', 'a日本語', 5, {rows: ['a日', '本語'], caret: {row: 1, column: 4}}],
	['an emoji family in one piece', 'abc👩‍👩‍👧d', 5, {rows: ['abc', '👩‍👩‍👧d'], caret: {row: 1, column: 3}}],
	[
		'tabs and controls in a form that may be drawn',
		`\u001b[200~\t\u001b[2J\u0007\u001b[201~`,
		20,
		{rows: ['    ␛[2J␇'], caret: {row: 0, column: 9}},
	],
	[
		'what is wider than the window',
		'日\u001b[200~\u202e\u001b[201~',
		1,
		{rows: ['…', '…', ''], caret: {row: 2, column: 0}},
	],
	[
		'a placeholder as a word',
		`see ${pasted('1\n2\n3')} b`,
		27,
		{rows: ['see ', '[Pasted text #1 +3 lines] ', 'b'], caret: {row: 2, column: 1}},
	],
	[
		'a placeholder that is longer than a row',
		`a${pasted('1\n2\n3')}b`,
		11,
		{rows: ['a', '[Pasted te', 'xt #1 +3 l', 'ines]b'], caret: {row: 3, column: 6}},
	],
])('it lays out %s', (_name, input, columns, expected) => {
	expect(layout(input, columns, 10)).toEqual({...expected, hiddenAbove: 0, hiddenBelow: 0});
});

test('a long prompt is a window around the caret', () => {
	const lines = Array.from({length: 20}, (_, index) => `${index}`).join('\n');
	const state = setComposerText(emptyComposer, lines);
	expect(layoutComposer(state, 10, 3)).toEqual({
		rows: ['17', '18', '19'],
		caret: {row: 2, column: 2},
		hiddenAbove: 17,
		hiddenBelow: 0,
	});
	expect(layoutComposer(typed(up.repeat(9), state).state, 10, 3)).toEqual({
		rows: ['9', '10', '11'],
		caret: {row: 1, column: 2},
		hiddenAbove: 9,
		hiddenBelow: 8,
	});
});

test('Up and Down pass a placeholder that is wider than the window', () => {
	const {state} = typed(`a${pasted('1\n2\n3')}b`, emptyComposer, 8);
	const caretAfter = (input: string) => typed(input, state, 8).state.caret;
	expect([up, `${up}${up}`, `${up}${up}${down}`, `${home}${down}`, `${home}${down}${down}`].map(caretAfter)).toEqual([
		1, 0, 1, 1, 2,
	]);
});

test('a joiner between Persian letters is not shown as a control character', () => {
	expect(layout('می\u200cخواهم', 20, 3).rows).toEqual(['می\u200cخواهم']);
});

test('the fast path has the same widths as the slow one', () => {
	const wrong: string[] = [];
	for (let code = 0; code < 0x1_00_00; code++) {
		const character = String.fromCharCode(code);
		if (
			code !== 0x0a &&
			isSimple(code) &&
			(textWidth(character) !== (isWide(code) ? 2 : 1) || safeText(character) !== character)
		) {
			wrong.push(code.toString(16));
		}
	}

	expect(wrong).toEqual([]);
});

const prompts = fc.array(
	fc.oneof(
		fc.string({unit: 'grapheme', maxLength: 5}),
		fc.constantFrom(
			'\n',
			'\t',
			'日本',
			'👩‍👩‍👧',
			'e\u0301',
			'\u202e',
			pasted('1\n2\n3'),
			left,
			up,
			down,
			home,
			'\u0001',
			'\u0005',
		),
	),
	{maxLength: 25},
);

function stateOf(input: readonly string[], columns: number): ComposerState {
	return typed(input.join(''), emptyComposer, columns).state;
}

test('rows never exceed the window or the limit, and contain the caret', () => {
	fc.assert(
		fc.property(prompts, fc.integer({min: 1, max: 12}), fc.integer({min: 1, max: 6}), (input, columns, maxRows) => {
			const {rows, caret, hiddenAbove, hiddenBelow} = layoutComposer(stateOf(input, columns), columns, maxRows);
			expect(Math.max(...rows.map(textWidth))).toBeLessThanOrEqual(columns);
			expect(rows.length).toBeLessThanOrEqual(maxRows);
			expect(Math.min(hiddenAbove, hiddenBelow)).toBeGreaterThanOrEqual(0);
			expect(caret.row).toBeLessThan(rows.length);
			expect(caret.column).toBeLessThan(columns);
		}),
		{numRuns: 500},
	);
});

test('all rows together are the prompt', () => {
	fc.assert(
		fc.property(prompts, fc.integer({min: 8, max: 40}), (input, columns) => {
			const state = stateOf(input, columns);
			const {rows} = layoutComposer(state, columns, 10_000);
			const shown = safeText(shownText(state)).replaceAll('\t', '    ');
			expect(rows.join('')).toBe(shown.replaceAll('\n', ''));
		}),
		{numRuns: 300},
	);
});

test('a word is cut only if it is longer than a row', () => {
	const words = fc.array(fc.string({unit: fc.constantFrom('a', 'b', ' ', 'é', '-', '/'), maxLength: 9}), {
		maxLength: 12,
	});
	fc.assert(
		fc.property(words, fc.integer({min: 3, max: 14}), (input, columns) => {
			const {rows} = layoutComposer(setComposerText(emptyComposer, input.join('')), columns, 10_000);
			for (const [index, row] of rows.slice(0, -1).entries()) {
				const isCut = !row.endsWith(' ') && !rows[index + 1]?.startsWith(' ') && rows[index + 1] !== '';
				expect(isCut && row.includes(' ')).toBe(false);
				expect(isCut ? row.length : columns - 1).toBe(columns - 1);
			}
		}),
		{numRuns: 300},
	);
});

test('the cursor is drawn at the caret', () => {
	const unit = fc.constantFrom('a', 'b', ' ', '\n', '\t', '日', '👩‍👩‍👧', '\u202e');
	fc.assert(
		fc.property(fc.string({unit, maxLength: 30}), fc.nat(30), fc.integer({min: 9, max: 20}), (text, moves, columns) => {
			const {state} = typed(left.repeat(moves), setComposerText(emptyComposer, text), columns);
			const {rows, caret} = layoutComposer(state, columns, 10_000);
			const drawn = (part: string) => safeText(part).replaceAll('\t', '    ').replaceAll('\n', '');
			const above = rows.slice(0, caret.row).map(textWidth);
			expect(above.reduce((sum, width) => sum + width, caret.column)).toBe(
				textWidth(drawn(text.slice(0, state.caret))),
			);
			expect(rows.join('')).toBe(drawn(text));
		}),
		{numRuns: 300},
	);
});

test('the window is a part of the whole, and moves with the caret', () => {
	fc.assert(
		fc.property(prompts, fc.integer({min: 1, max: 12}), fc.integer({min: 1, max: 6}), (input, columns, maxRows) => {
			const state = stateOf(input, columns);
			const whole = layoutComposer(state, columns, 10_000);
			const part = layoutComposer(state, columns, maxRows);
			expect(part.rows).toEqual(whole.rows.slice(part.hiddenAbove, whole.rows.length - part.hiddenBelow));
			expect({...part.caret, row: part.caret.row + part.hiddenAbove}).toEqual(whole.caret);
		}),
	);
});
