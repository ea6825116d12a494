import {expect, test} from 'vitest';
import {cleared, expandedText, replaceRange, setComposerText} from '../../src/editor/editor.ts';
import {setHistory} from '../../src/editor/editor-history.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {type InputToken, keyToken} from '../../src/terminal/input/token.ts';
import {apply, keys, pasted, shownText, typed, withCaret} from '../store/composer-helpers.ts';

const {left, right, up, down, home, end, backspace, altBackspace, altB, altD, altF, altY, undo, redo, enter} = keys;

test.each([
	['keys of one chunk one by one', `abc${left}${left}X`, 'aX|bc'],
	['an emoji family as one', `a👩‍👩‍👧‍👦b${left}${backspace}`, 'a|b'],
	['a combined letter as one', `xe\u0301${backspace}`, 'x|'],
	['Hangul from parts as one', `\u1112\u1161\u11ab${left}a`, 'a|\u1112\u1161\u11ab'],
	['flags two letters at a time', `🇩🇪🇫🇷${left}${keys.delete}`, '🇩🇪|'],
	['a mark typed on its own with its letter', `eb${left}\u0301${left}x`, 'x|e\u0301b'],
	['Home and End by the line', `ab\ncd${home}x${end}y`, 'ab\nxcdy|'],
	['moves by words', `one two, three${altB}${altB}X${altF}Y`, 'one XtwoY|, three'],
	['words of other scripts', `größe мир${altB}${altB}|`, '||größe мир'],
	['Ctrl+W to the space', 'go to /a/b-c\u0017', 'go to |'],
	['Alt+Backspace by the word', `go to /a/b-c${altBackspace}`, 'go to /a/b-|'],
	['Alt+D forwards', `one two${home}${altD}`, '| two'],
	['Ctrl+K to the line end, then over it', `ab\ncd${up}${left}\u000b\u000b`, 'a|cd'],
	['Ctrl+U to the line start, then over it', 'ab\ncd\u0015\u0015', 'ab|'],
	['kills in a row as one entry of the ring', 'one two \u0017\u0017x\u0019', 'xone two |'],
	['kills in both directions in order', `one two three${altB}${left}${altBackspace}${altD}\u0019`, 'one two three|'],
	['the entry before by Alt+Y', `a\u0017x b\u0017\u0019${altY}`, 'x a|'],
	['Ctrl+T at the end', 'teh\u0014', 'the|'],
	['Ctrl+T in the middle', `hte${home}${right}\u0014`, 'th|e'],
	['Ctrl+T never over a line', `ab\n\u0014`, 'ab\n|'],
	['undo of a paste at once', `a${pasted('b c')}${undo}`, 'a|'],
	['redo of all that was undone', `one${left}${backspace}${undo}${undo}${redo}${redo}${redo}`, 'o|e'],
	['no redo after a change', `ab${backspace}${undo}x${redo}`, 'abx|'],
	['redo of a folded paste, whole', `${pasted('1\n2\n3')}${undo}${redo}x${backspace}`, '\udc00|'],
	['undo of everything', `one two${left}${backspace}${undo}${undo}${undo}${undo}`, '|'],
	['a line break by backslash and Enter', `a\\${enter}b`, 'a\nb|'],
	['a line break by Alt+Enter, Ctrl+J and Shift+Enter', 'a\u001b\rb\nc\u001b[13;2ud\u001b[27;2;13~e', 'a\nb\nc\nd\ne|'],
	[
		'Up and Down keeping their column',
		`long line\nx\nlong line${left}${left}${up}${up}X${down}${down}Y`,
		'long liXne\nx\nlong linY|e',
	],
	['a paste of two whole lines as it is', pasted('a\r\nb\r\n'), 'a\nb\n|'],
	['a short paste as it is', `${pasted('a\r\nb\t\u001b[31m')}c`, 'a\nb\t\u001b[31mc|'],
])('it edits %s', (_name, input, expected) => {
	expect(withCaret(typed(input).state)).toBe(expected);
});

test('undo removes typed text word by word', () => {
	const typing = [...'one two'].map((text): InputToken => ({type: 'text', text}));
	const {state} = apply(emptyComposer, typing);
	expect(withCaret(typed(undo, state).state)).toBe('one |');
	expect(withCaret(typed(`${undo}${undo}${undo}`, state).state)).toBe('|');
});

test('Up and Down move by wrapped rows', () => {
	const {state} = typed(`abcdefgh${up}X`, emptyComposer, 6);
	expect(state.text).toBe('abcXdefgh');
	expect(typed(`${down}Y`, state, 6).state.text).toBe('abcXdefghY');
});

test('Enter sends, and leaves an empty prompt with its history and kill ring', () => {
	const {state, actions} = typed(`gone\u0017hello${enter}`, setHistory(emptyComposer, ['earlier']));
	expect(actions).toEqual([{type: 'submit', text: 'hello'}]);
	expect(state).toEqual({...emptyComposer, kills: ['gone'], history: ['earlier'], position: 1});
});

test('Enter on a blank prompt is the key, not a message', () => {
	expect(typed(` \n${enter}`).actions).toEqual([{type: 'key', token: keyToken('enter')}]);
});

test("keys that it doesn't handle are returned unchanged", () => {
	const {state, actions} = typed(
		'\t\u001b[Z\u0003\u0004\u0012\u001a\u001bOP\u001b[A\u001b[B\u001b[I\u001b[<0;1;1M\u001b',
	);
	const ctrl = {ctrl: true, alt: false, shift: false};
	const tokens = [
		keyToken('tab'),
		keyToken('tab', {ctrl: false, alt: false, shift: true}),
		...['c', 'd', 'r', 'z'].map(name => keyToken(name, ctrl)),
		...['f1', 'up', 'down', 'escape'].map(name => keyToken(name)),
	];
	expect({state, actions}).toEqual({state: emptyComposer, actions: tokens.map(token => ({type: 'key', token}))});
});

test('Ctrl+D deletes forwards in a prompt that is not empty', () => {
	expect(typed(`ab${home}\u0004\u0004`).state.text).toBe('');
});

test('a paste of 3 lines is one unit on the screen and whole when it is sent', () => {
	const {state} = typed(`see ${pasted('a\nb\nc')} and ${pasted('x'.repeat(801))}`);
	expect(shownText(state)).toBe('see [Pasted text #1 +3 lines] and [Pasted text #2 +801 characters]');
	expect(expandedText(state)).toBe(`see a\nb\nc and ${'x'.repeat(801)}`);
	expect(shownText(typed(`${left}!${backspace}${backspace}`, state).state)).toBe(
		'see [Pasted text #1 +3 lines] and[Pasted text #2 +801 characters]',
	);
	expect(shownText(typed(backspace, state).state)).toBe('see [Pasted text #1 +3 lines] and ');
	expect(typed(enter, state).actions).toEqual([{type: 'submit', text: expandedText(state)}]);
});

test('a folded paste can be killed, yanked and undone, even in the next prompt', () => {
	const {state} = typed(`${pasted('1\n2\n3')}\u0017a\u0019\u0019`);
	expect(shownText(state)).toBe('a[Pasted text #1 +3 lines][Pasted text #1 +3 lines]');
	expect(expandedText(typed(`${undo}${undo}${undo}${undo}`, state).state)).toBe('1\n2\n3');
	expect(expandedText(typed(`${enter}b\u0019`, state).state)).toBe('b1\n2\n3');
});

test('the label of a truncated paste says so', () => {
	const {state} = apply(emptyComposer, [{type: 'paste', text: 'a\nb\nc', truncated: true}]);
	expect(shownText(state)).toBe('[Pasted text #1 +3 lines, cut]');
});

test('no text from outside becomes a folded paste', () => {
	const {state} = typed(pasted('1\n2\n3'));
	const forged = replaceRange(state, 1, 1, 'x\udc00y\ud800');
	expect(expandedText(forged)).toBe('1\n2\n3x\ufffdy\ufffd');
	expect(expandedText(typed('𝄞', state).state)).toBe('1\n2\n3𝄞');
});

test('a paste of 100 KB keeps every character', () => {
	const text = Array.from({length: 10_240}, (_, index) => `${index % 7}bcdef日\n`).join('');
	expect(expandedText(typed(`a${pasted(text)}b`).state)).toBe(`a${text}b`);
	const line = 'x'.repeat(102_400);
	expect(expandedText(typed(`a${line}b`).state)).toBe(`a${line}b`);
});

test('the prompt can be replaced from outside, and undo reverts that', () => {
	const {state} = typed('mine');
	const other = setComposerText(state, 'one\r\ntwo');
	expect(withCaret(other)).toBe('one\ntwo|');
	expect(withCaret(typed(undo, other).state)).toBe('mine|');
	expect(cleared(other)).toEqual(emptyComposer);
});
