import {expect, test} from 'vitest';
import {type InputToken, keyToken} from '../../../src/terminal/input/token.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';
import {createRandom, drawnSeed} from '../../faults/fault.ts';

const text = (value: string): InputToken => ({type: 'text', text: value});

test('an 8-bit CSI is not text, and no part of a character is read as one', () => {
	const tokenizer = createTokenizer();
	expect(tokenizer.push(Buffer.from('a\u009b31mb', 'latin1'))).toEqual([text('ab')]);
	expect(tokenizer.push(Buffer.from('ě盛\u{1f61b}'))).toEqual([text('ě盛\u{1f61b}')]);
	expect([0xc2, 0x9b, 0x41].map(byte => tokenizer.push(Uint8Array.of(byte)))).toEqual([[], [], [keyToken('up')]]);
});

test.each([
	['the attributes of a terminal', '[?62;22c', [{type: 'reply', reply: 'device-attributes', attributes: [62, 22]}]],
	['the version of a terminal', '[>41;390;0c', [{type: 'reply', reply: 'terminal-version', numbers: [41, 390, 0]}]],
	['a mode', '[?2026;2$y', [{type: 'reply', reply: 'mode', mode: 2026, state: 'reset'}]],
	// The number of its column would be a modifier that we don't know.
	['a place in the tenth column', '[12;10R', [{type: 'reply', reply: 'cursor-position', row: 11, column: 9}]],
	['a place', '[12;40R', [{type: 'reply', reply: 'cursor-position', row: 11, column: 39}]],
	['the size of the window', '[8;30;100t', [{type: 'reply', reply: 'window-size', columns: 100, rows: 30}]],
	[
		'the colour of the background',
		']11;rgb:1e1e/2020/ffff\u001b\\',
		[{type: 'reply', reply: 'color', of: 'background', red: 30, green: 32, blue: 255}],
	],
	[
		'the colour of the background, ended by BEL',
		']11;rgb:ff/ff/ff\u0007',
		[{type: 'reply', reply: 'color', of: 'background', red: 255, green: 255, blue: 255}],
	],
	[
		'one of the 16 colours',
		']4;15;rgb:ff/80/00\u001b\\',
		[{type: 'reply', reply: 'color', of: 15, red: 255, green: 128, blue: 0}],
	],
	['what looked like one of them', ']4;1x', [text(']4;1x')]],
	['what looked like a colour for a while', ']11;rgb:x', [text(']11;rgb:x')]],
	['what a user typed', '[a]', [text('[a]')]],
	['what looked like one for a while', '[?6 x', [text('[?6 x')]],
] as const)('after an ESC that was read as the Escape key comes %s', (_, input, expected) => {
	const tokenizer = createTokenizer();
	tokenizer.push(Buffer.from('\u001b'));
	expect(tokenizer.flush()).toEqual([keyToken('escape')]);
	expect(tokenizer.push(Buffer.from(input))).toEqual(expected);
	expect(tokenizer.pending()).toBe('nothing');
});

test('text typed after the Escape key is delivered after a timeout', () => {
	const tokenizer = createTokenizer();
	tokenizer.push(Buffer.from('\u001b'));
	tokenizer.flush();
	expect(tokenizer.push(Buffer.from('[1'))).toEqual([]);
	expect(tokenizer.pending()).toBe('late');
	expect(tokenizer.flush()).toEqual([text('[1')]);
});

test('Shift+F3 is the cursor in the first row while that answer is expected', () => {
	const tokenizer = createTokenizer(() => true);
	expect(tokenizer.push(Buffer.from('\u001b[1;2R'))).toEqual([
		{type: 'reply', reply: 'cursor-position', row: 0, column: 1},
	]);
});

test(`no rest of an answer that is cut off becomes text, and all that is typed instead does (seed ${drawnSeed})`, () => {
	const random = createRandom(drawnSeed);
	const number = random.below;
	for (let round = 0; round < 50; round++) {
		const answers = [
			`\u001b[${number(99)};${number(300)}R`,
			`\u001b[?${number(99)};${number(99)}c`,
			`\u001b[>${number(99)};${number(9999)};0c`,
			`\u001b[?${number(3000)};${number(5)}$y`,
			`\u001b[8;${number(99)};${number(300)}t`,
			`\u001b]1${number(3)};rgb:1e1e/20${number(99)}/ffff\u001b\\`,
			`\u001b]11;rgba:ff/ff/${number(10)}f\u0007`,
		];
		const answer = random.pick(answers);
		const cut = 1 + number(answer.length - 1);
		const tokenizer = createTokenizer();
		const textIn = (input: string) =>
			[...tokenizer.push(Buffer.from(input)), ...tokenizer.flush()]
				.map(token => (token.type === 'text' ? token.text : token.type === 'key' ? `<${token.name}>` : ''))
				.join('');
		textIn(answer.slice(0, cut));
		expect([answer, cut, textIn(answer.slice(cut))]).toEqual([answer, cut, '']);
		textIn(answer.slice(0, cut));
		const typed = Array.from({length: 1 + number(6)}, () => random.pick([...'ghijklmopqvwxz'])).join('');
		expect([answer, cut, textIn(typed)]).toEqual([answer, cut, typed]);
	}
});
