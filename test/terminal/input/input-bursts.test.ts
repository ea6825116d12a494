import {expect, test} from 'vitest';
import {isLines, joinBursts, mayContinue} from '../../../src/terminal/input/bursts.ts';
import {keyToken, noModifiers} from '../../../src/terminal/input/token.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';

const read = (input: string) => createTokenizer().push(Buffer.from(input));
const ctrl = {...noModifiers, ctrl: true};
const paste = (text: string) => ({type: 'paste', text, truncated: false});

test.each([
	['lines', 'one\rtwo\rthree', [paste('one\ntwo\nthree')]],
	['lines with an end', 'one\rtwo\r', [paste('one\ntwo\n')]],
	['lines of any end', 'one\r\ntwo\n\n\tthree', [paste('one\ntwo\n\n\tthree')]],
	['lines while the window loses the focus', 'one\u001b[O\rtwo', [paste('one\ntwo')]],
])('%s read at once are a paste', (_, input, expected) => {
	expect(joinBursts(read(input))).toEqual(expected);
});

const bracketed = (text: string) => `\u001b[200~${text}\u001b[201~`;

test.each([
	['an Enter', `${bracketed('rm')}\r`, [paste('rm\n')]],
	['lines', `typed${bracketed('one')}two\rthree\r`, [read('typed')[0], paste('onetwo\nthree\n')]],
	['an end mark and keys', `${bracketed('one')}\u001b[201~\u0018\u0005\u001b[D\r`, [paste('one\n')]],
	['another paste', `${bracketed('one')}${bracketed('two')}`, [paste('onetwo')]],
])('%s read at once with a paste before it is a part of it', (_, input, expected) => {
	expect(joinBursts(read(input))).toEqual(expected);
});

test.each([['hello\r'], ['\rhello'], ['\r'], ['a\tb'], ['a\rb\u007f\rc'], ['hello\r\r']])('%j is typed', input => {
	expect(joinBursts(read(input))).toEqual(read(input));
});

test('a paste, and text with an Enter after it, may continue', () => {
	const inputs = [bracketed('one'), 'hello\r', 'one\rtwo\n', 'hello', '\r', '\u001b[A\r', ''];
	expect(inputs.map(input => mayContinue(read(input)))).toEqual([true, true, true, false, false, false, false]);
});

test('keys that may stay keep their place after a paste; what follows them is still pasted', () => {
	const tokens = read(`${bracketed('one')}\u0001two\u001b[Z\r\u001b[Dx`);
	const kept = joinBursts(tokens, ({name}) => name !== 'tab');
	expect(kept).toEqual([paste('one'), keyToken('a', ctrl), paste('two\n'), keyToken('left'), paste('x')]);
});

test('an Enter after a key that follows a paste belongs to the paste, also a moment later', () => {
	expect(mayContinue(read(`${bracketed('one')}\u0001`))).toBe(true);
});

test.each([
	['spaces', ' '.repeat(2_000_000), false],
	['text', 'a'.repeat(2_000_000), false],
	['line ends', '\n'.repeat(2_000_000), false],
	['lines of spaces', `a${' '.repeat(1_000_000)}\r${' '.repeat(1_000_000)}b`, true],
])('millions of %s are judged in linear time', (_, text, expected) => {
	expect(isLines([{type: 'text', text}])).toBe(expected);
});
