import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {type InputToken, keyToken, textToken} from '../../src/terminal/input/token.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {drawLine, editLine} from '../../src/ui/line-field.ts';

const typed = (...tokens: readonly InputToken[]) =>
	tokens.reduce((line, token) => editLine(line, token), emptyComposer);
const paste = (text: string): InputToken => ({type: 'paste', text, truncated: false});

test.each([
	['Ctrl+J breaks no line', [textToken('a'), keyToken('j', {ctrl: true, alt: false, shift: false})], 'a'],
	['a paste comes as one line', [paste('one\n\n  two\t3\n')], 'one two 3'],
	['a long paste is cut between characters', [paste(`${'x'.repeat(999)}👍`)], 'x'.repeat(999)],
	['Backspace takes what is seen as one character', [textToken('a👩‍👩‍👧'), keyToken('backspace')], 'a'],
])('%s', (_, tokens, text) => {
	expect(typed(...tokens).text).toBe(text);
});

test('a line that did not change is the same object', () => {
	const line = setComposerText(emptyComposer, 'a');
	expect(editLine(line, {type: 'focus', focused: true})).toBe(line);
});

test('the end of a long line is shown, with the caret after it', () => {
	const line = setComposerText(emptyComposer, 'one two three four');
	expect(drawLine('filter ', line, 18)).toEqual({text: 'three four', column: 17});
});

/** Controls, letters, signs that turn or hide text, wide ones and emoji. */
const anything = fc.oneof(
	fc.integer({min: 0, max: 0x2ff}),
	fc.integer({min: 0x2000, max: 0xd7ff}),
	fc.integer({min: 0x1f300, max: 0x1faff}),
);

test('any input keeps line and caret in the window, and no control reaches the terminal [1]', () => {
	const texts = fc.array(anything, {maxLength: 40}).map(codes => String.fromCodePoint(...codes).replaceAll('\n', ' '));
	fc.assert(
		fc.property(texts, fc.nat(5), fc.integer({min: 12, max: 40}), (text, left, columns) => {
			const moves = Array.from({length: left}, () => keyToken('left'));
			const {text: shown, column} = drawLine('/', typed(textToken(text), ...moves), columns);
			expect(lineWidth(shown)).toBeLessThan(columns);
			expect(column).toBeLessThan(columns);
			expect(column).toBeGreaterThanOrEqual(1);
			expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
		}),
	);
});
