import fc from 'fast-check';
import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {anyText} from '../any-text.ts';
import {keys, typed} from '../store/composer-helpers.ts';

const keystrokes = [
	...Object.values(keys).filter(key => ![keys.undo, keys.redo, keys.enter, keys.up, keys.down].includes(key)),
	'\u0017',
	'\u000b',
	'\u0019',
	'\u0014',
];
/** Text that is not a key: one of these may be Undo or Redo. */
const anyWords = anyText().map(text => text.replaceAll(/\p{Cc}/gu, ''));
const anyInput = fc.array(fc.oneof(fc.constantFrom(...keystrokes), anyWords, fc.constant('a b')), {maxLength: 20});

test('undoing everything and redoing it ends in the same text, for any keys', () => {
	fc.assert(
		fc.property(anyInput, input => {
			const {state} = typed(input.join(''));
			const undone = typed(keys.undo.repeat(200), state).state;
			expect([undone.text, undone.edits]).toEqual(['', []]);
			const redone = typed(keys.redo.repeat(200), undone).state;
			expect([redone.text, redone.undone]).toEqual([state.text, []]);
		}),
	);
});

test('long texts that were replaced are only kept as far as they need little memory', () => {
	let state = emptyComposer;
	for (const letter of 'abcdefgh') {
		state = setComposerText(state, letter.repeat(1_000_000));
	}

	const held = state.edits.reduce((sum, {removed, inserted}) => sum + removed.length + inserted.length, 0);
	expect(held).toBeLessThanOrEqual(4_000_000);
	expect(typed(keys.undo, state).state.text[0]).toBe('g');
});
