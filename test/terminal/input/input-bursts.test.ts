import {expect, test} from 'vitest';
import {joinBursts, mayContinue} from '../../../src/terminal/input/input.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';

const read = (input: string) => createTokenizer().push(Buffer.from(input));
const paste = (text: string) => ({type: 'paste', text, truncated: false});

test.each([
	['lines', 'one\rtwo\rthree', [paste('one\ntwo\nthree')]],
	['lines with an end', 'one\rtwo\r', [paste('one\ntwo\n')]],
	['lines of any end', 'one\r\ntwo\n\n\tthree', [paste('one\ntwo\n\n\tthree')]],
	['lines while the window loses the focus', 'one\u001b[O\rtwo', [paste('one\ntwo')]],
])('%s read at once are a paste', (_, input, expected) => {
	expect(joinBursts(read(input))).toEqual(expected);
});

test.each([['hello\r'], ['\rhello'], ['\r'], ['a\tb'], ['a\rb\u007f\rc'], ['hello\r\r']])('%j is typed', input => {
	expect(joinBursts(read(input))).toEqual(read(input));
});

test('text with an Enter after it may continue', () => {
	expect(['hello\r', 'one\rtwo\n', 'hello', '\r', '\u001b[A\r', ''].map(input => mayContinue(read(input)))).toEqual([
		true,
		true,
		false,
		false,
		false,
		false,
	]);
});
