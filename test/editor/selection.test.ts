import {expect, test} from 'vitest';
import {expandedText} from '../../src/editor/editor.ts';
import {layoutComposer} from '../../src/editor/editor-layout.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {selectionOf} from '../../src/editor/selection.ts';
import {keys, pasted, typed, withCaret} from '../store/composer-helpers.ts';

const shift = {
	left: '\u001b[1;2D',
	right: '\u001b[1;2C',
	up: '\u001b[1;2A',
	down: '\u001b[1;2B',
	home: '\u001b[1;2H',
	end: '\u001b[1;2F',
	word: '\u001b[1;6D',
	altWord: '\u001b[1;4D',
	start: '\u001b[1;6H',
};

/** The text that is selected after this input. */
function selected(input: string): string {
	const {state} = typed(input);
	const {start, end} = selectionOf(state) ?? {start: 0, end: 0};
	return state.text.slice(start, end);
}

test.each([
	['a character', `abc${shift.left}`, 'c'],
	['an emoji family as one', `ab👩‍👩‍👧‍👦${shift.left}`, '👩‍👩‍👧‍👦'],
	['a word', `one two${shift.word}`, 'two'],
	['two words, by Alt', `one two${shift.altWord}${shift.altWord}`, 'one two'],
	['back and forth', `abcd${shift.left}${shift.left}${shift.right}`, 'd'],
	['beyond where it began', `abcd${keys.left}${shift.left}${shift.right}${shift.right}`, 'd'],
	['a line', `ab\ncd${shift.home}`, 'cd'],
	['everything before', `ab\ncd${keys.left}${shift.start}`, 'ab\nc'],
	['to the line above', `abc\ndef${shift.up}`, '\ndef'],
	['no earlier prompt, but the rest of the line', `abc${shift.up}`, 'abc'],
	['to the end', `abc${keys.home}${shift.down}`, 'abc'],
	['nothing after a movement', `abc${shift.left}${keys.left}`, ''],
	['nothing where it began', `abc${shift.left}${shift.right}`, ''],
])('Shift selects %s', (_, input, text) => {
	expect(selected(input)).toBe(text);
});

test.each([
	['typing', 'X', 'oneX|'],
	['a paste', pasted('P'), 'oneP|'],
	['Backspace', keys.backspace, 'one|'],
	['Delete', keys.delete, 'one|'],
	['Ctrl+J', '\n', 'one\n|'],
	['Ctrl+W, which keeps it', '\u0017\u0019\u0019', 'one two two|'],
	['Ctrl+K, which keeps it', `\u000b${keys.home}\u0019`, ' two|one'],
	['Ctrl+Y', '\u0019', 'one two|'],
	['Left, which goes to its start', `${keys.left}X`, 'oneX| two'],
	['Right, which goes to its end', `${keys.right}X`, 'one twoX|'],
])('%s acts on what is selected', (_, input, text) => {
	const selection = typed(`one two${keys.left.repeat(4)}${shift.end}`).state;
	expect(withCaret(typed(input, selection).state)).toBe(text);
});

test('undo brings back what typing replaced, and sending forgets the selection', () => {
	const {state} = typed(`one${shift.home}x${keys.undo}`);
	expect([state.text, selectionOf(state)]).toEqual(['one', undefined]);
	expect(selectionOf(typed(`one${shift.home}${keys.enter}`).state)).toBe(undefined);
});

test('a selected paste stays whole', () => {
	const {state} = typed(`${pasted('1\n2\n3')}${shift.left}\u0017x\u0019`);
	expect(expandedText(state)).toBe('x1\n2\n3');
});

test('the selected part of each row is known, with wrapped rows, wide characters and placeholders', () => {
	const {state} = typed(`ab日本 cd ef\n${pasted('1\n2\n3')}gh${shift.left}${shift.up}`, emptyComposer, 8);
	const {rows, selected: parts = []} = layoutComposer(state, 8, 10);
	expect(rows.map((row, index) => row.slice(parts[index]?.from, parts[index]?.to))).toMatchInlineSnapshot(`
		[
		  "",
		  "",
		  "[Pasted",
		  " text #",
		  "1 +3 li",
		  "nes]gh",
		]
	`);
});
