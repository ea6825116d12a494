import {expect, test} from 'vitest';
import {type InputToken, keyToken} from '../../../src/terminal/input/token.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';

/** What the bytes of `input` (one character a byte below U+0100, UTF-8 above) give, with the tokens that a timeout adds. */
function tokensOf(input: string): readonly InputToken[] {
	const tokenizer = createTokenizer();
	return [...tokenizer.push(Buffer.from(input, 'utf8')), ...tokenizer.flush()];
}

function key(name: string, ...modifiers: readonly ('ctrl' | 'alt' | 'shift')[]): InputToken {
	return keyToken(name, {
		ctrl: modifiers.includes('ctrl'),
		alt: modifiers.includes('alt'),
		shift: modifiers.includes('shift'),
	});
}

const text = (value: string): InputToken => ({type: 'text', text: value});

test.each<readonly [string, string, readonly InputToken[]]>([
	['text is one token', 'hé 日本 👩‍👩‍👧', [text('hé 日本 👩‍👩‍👧')]],
	['keys split text', 'a\rb\t', [text('a'), key('enter'), text('b'), key('tab')]],
	['LF is Ctrl+J, not Enter', '\n', [key('j', 'ctrl')]],
	['both bytes of Backspace', '\u007f\b', [key('backspace'), key('backspace')]],
	['control letters', '\u0001\u0003\u001a', [key('a', 'ctrl'), key('c', 'ctrl'), key('z', 'ctrl')]],
	[
		'control signs',
		'\0\u001c\u001d\u001e\u001f',
		[key('space', 'ctrl'), key('\\', 'ctrl'), key(']', 'ctrl'), key('^', 'ctrl'), key('_', 'ctrl')],
	],
	['a lone Escape', '\u001b', [key('escape')]],
	['Escape twice', '\u001b\u001b', [key('escape'), key('escape')]],
	['three of them', '\u001b\u001b\u001b', [key('escape'), key('escape'), key('escape')]],
	['Alt and a letter', '\u001bb\u001bB', [key('b', 'alt'), key('b', 'alt', 'shift')]],
	['Alt and a letter beyond ASCII', '\u001bé\u001b日x', [key('é', 'alt'), key('日', 'alt'), text('x')]],
	[
		'Alt and a control key',
		'\u001b\r\u001b\u007f\u001b\n',
		[key('enter', 'alt'), key('backspace', 'alt'), key('j', 'ctrl', 'alt')],
	],
	['Alt+[ by time-out', '\u001b[', [key('[', 'alt')]],
	['Alt+O by time-out', '\u001bO', [key('o', 'alt', 'shift')]],
	['Alt+] by time-out', '\u001b]', [key(']', 'alt')]],
	['Alt+O and typing', '\u001bO5!', [key('o', 'alt', 'shift'), text('5!')]],
	['arrows', '\u001b[A\u001bOB\u001b[C\u001b[D', [key('up'), key('down'), key('right'), key('left')]],
	[
		'modified arrows',
		'\u001b[1;5C\u001b[1;3D\u001b[1;8A',
		[key('right', 'ctrl'), key('left', 'alt'), key('up', 'ctrl', 'alt', 'shift')],
	],
	['Alt as a second ESC', '\u001b\u001b[A\u001b\u001bOP', [key('up', 'alt'), key('f1', 'alt')]],
	['Escape before what has no Alt', '\u001b\u001b[I', [key('escape'), {type: 'focus', focused: true}]],
	[
		'Home and End everywhere',
		'\u001b[H\u001bOH\u001b[1~\u001b[7~\u001b[F\u001b[4~\u001b[8~',
		[...Array(4).fill(key('home')), ...Array(3).fill(key('end'))],
	],
	[
		'numbered keys',
		'\u001b[2~\u001b[3~\u001b[5~\u001b[6~\u001b[3;5~',
		[key('insert'), key('delete'), key('page-up'), key('page-down'), key('delete', 'ctrl')],
	],
	[
		'function keys',
		'\u001bOP\u001b[11~\u001b[[A\u001b[15~\u001b[24~\u001b[1;2R',
		[key('f1'), key('f1'), key('f1'), key('f5'), key('f12'), key('f3', 'shift')],
	],
	[
		'rxvt',
		'\u001b[3$\u001b[3^\u001b[3@\u001b[a\u001bOc',
		[
			key('delete', 'shift'),
			key('delete', 'ctrl'),
			key('delete', 'ctrl', 'shift'),
			key('up', 'shift'),
			key('right', 'ctrl'),
		],
	],
	['Shift+Tab', '\u001b[Z', [key('tab', 'shift')]],
	['the keypad in application mode', '\u001bOp\u001bOk', [text('0+')]],
	['Shift+Enter of Konsole', '\u001bOM', [key('enter', 'shift')]],
	[
		'Shift+Enter of kitty and of modifyOtherKeys',
		'\u001b[13;2u\u001b[27;2;13~',
		[key('enter', 'shift'), key('enter', 'shift')],
	],
	[
		'kitty controls',
		'\u001b[106;5u\u001b[27u\u001b[127;5u\u001b[9;2u',
		[key('j', 'ctrl'), key('escape'), key('backspace', 'ctrl'), key('tab', 'shift')],
	],
	['kitty text', '\u001b[97;;229u\u001b[97:65;2u\u001b[32;2u', [text('åA ')]],
	['kitty alternates: Ctrl on a Cyrillic layout', '\u001b[1089::99;5u', [key('c', 'ctrl')]],
	['kitty shifted signs', '\u001b[45:95;6u', [key('_', 'ctrl', 'shift')]],
	['kitty keypad', '\u001b[57400u\u001b[57414u\u001b[57419u', [text('1'), key('enter'), key('up')]],
	[
		'a repeat counts, a release does not',
		'\u001b[97;1:2u\u001b[97;1:3u\u001b[1;1:3A\u001b[1;5:2A',
		[text('a'), key('up', 'ctrl')],
	],
	['no use for media keys, lone modifiers, Super', '\u001b[57428u\u001b[57441;2u\u001b[99;9u', []],
	['no such character', '\u001b[1114112u\u001b[55296u\u001b[99999999999999999999u\u001b[u', []],
	[
		'modifyOtherKeys',
		'\u001b[27;5;106~\u001b[27;6;65~\u001b[27;2;65~',
		[key('j', 'ctrl'), key('a', 'ctrl', 'shift'), text('A')],
	],
	[
		'focus',
		'\u001b[I\u001b[O',
		[
			{type: 'focus', focused: true},
			{type: 'focus', focused: false},
		],
	],
])('keys: %s', (_name, input, expected) => {
	expect(tokensOf(input)).toEqual(expected);
});

const plain = {ctrl: false, alt: false, shift: false};

test.each<readonly [string, string, readonly InputToken[]]>([
	[
		'a click by SGR',
		'\u001b[<0;10;5M\u001b[<0;10;5m',
		[
			{type: 'mouse', kind: 'press', button: 'left', column: 9, row: 4, ...plain},
			{type: 'mouse', kind: 'release', button: 'left', column: 9, row: 4, ...plain},
		],
	],
	[
		'wheel, drag and move',
		'\u001b[<65;1;1M\u001b[<50;2;2M\u001b[<35;3;3M',
		[
			{type: 'mouse', kind: 'wheel-down', button: 'none', column: 0, row: 0, ...plain},
			{type: 'mouse', kind: 'drag', button: 'right', column: 1, row: 1, ...plain, ctrl: true},
			{type: 'mouse', kind: 'move', button: 'none', column: 2, row: 2, ...plain},
		],
	],
	[
		'a click by X10',
		'\u001b[M !!x',
		[{type: 'mouse', kind: 'press', button: 'left', column: 0, row: 0, ...plain}, text('x')],
	],
	['DA1', '\u001b[?62;22c', [{type: 'reply', reply: 'device-attributes', attributes: [62, 22]}]],
	['kitty flags', '\u001b[?5u', [{type: 'reply', reply: 'keyboard-flags', flags: 5}]],
	[
		'the cursor, asked either way',
		'\u001b[12;40R\u001b[?1;2R',
		[
			{type: 'reply', reply: 'cursor-position', row: 11, column: 39},
			{type: 'reply', reply: 'cursor-position', row: 0, column: 1},
		],
	],
	['a mode', '\u001b[?2026;2$y', [{type: 'reply', reply: 'mode', mode: 2026, state: 'reset'}]],
	[
		'a colour, ended by ST or BEL',
		'\u001b]11;rgb:ffff/8080/0000\u001b\\\u001b]10;rgb:f/8/0\u0007',
		[
			{type: 'reply', reply: 'color', of: 'background', red: 255, green: 128, blue: 0},
			{type: 'reply', reply: 'color', of: 'foreground', red: 255, green: 136, blue: 0},
		],
	],
	[
		'unknown sequences leave nothing',
		'a\u001b[?1;2;3z\u001b]0;title\u0007\u001bP>|term(1)\u001b\\\u001b_Gi=1;OK\u001b\\\u001b[>1;2nb',
		[text('ab')],
	],
	['an aborted string leaves nothing', '\u001b]0;secret\u0018a\u001bPxyz\u001b[Ab', [text('a'), key('up'), text('b')]],
	['a C1 control is no text', 'a\u0085b', [text('ab')]],
	['CSI as a C1 control', 'a\u009b31mb\u009bA', [text('ab'), key('up')]],
	['OSC as a C1 control, ended by another one', 'a\u009d0;title\u009cb', [text('ab')]],
])('terminal: %s', (_name, input, expected) => {
	expect(tokensOf(input)).toEqual(expected);
});

test('a paste is one token, its line ends are LF and nothing in it is a key', () => {
	expect(tokensOf('a\u001b[200~x\r\ny\rz\t\u001b[A\u0003\u001b[201~b\r')).toEqual([
		text('a'),
		{type: 'paste', text: 'x\ny\nz\t\u001b[A\u0003', truncated: false},
		text('b'),
		key('enter'),
	]);
});

test('control characters of a paste that tmux sends as keys with Ctrl are themselves', () => {
	expect(tokensOf('\u001b[200~a\u001b[106;5ub\u001b[109;5uc\u001b[27;5;105~d\u001b[1;5A\u001b[201~')).toEqual([
		{type: 'paste', text: 'a\nb\nc\td\u001b[1;5A', truncated: false},
	]);
});

test('a paste without its end mark is returned after a timeout, as truncated', () => {
	expect(tokensOf('\u001b[200~half\u001b[20')).toEqual([{type: 'paste', text: 'half', truncated: true}]);
});

test('a paste keeps what fits into 8 MiB, with no broken character at its end', () => {
	const [token] = tokensOf(`\u001b[200~a${'é'.repeat(5 * 1024 * 1024)}\u001b[201~`);
	expect(token).toEqual({type: 'paste', text: `a${'é'.repeat(4 * 1024 * 1024 - 1)}`, truncated: true});
});

test('an endless sequence is dropped and never buffers more than its limit', () => {
	const tokenizer = createTokenizer();
	for (let count = 0; count < 100; count++) {
		expect(tokenizer.push(Buffer.from(`${count === 0 ? '\u001b]0;' : ''}${'x'.repeat(10_000)}`))).toEqual([]);
	}

	expect(tokenizer.pending()).toBe('sequence');
	expect(tokenizer.push(Buffer.from('\u0007ok'))).toEqual([text('ok')]);
});

test('pending input tells how long to wait', () => {
	const tokenizer = createTokenizer();
	const pendingAfter = (input: string) => {
		tokenizer.push(Buffer.from(input));
		return tokenizer.pending();
	};

	expect(['a', '\u001b', '[', '1', 'A', '\u001b[200~'].map(pendingAfter)).toEqual([
		'nothing',
		'escape',
		'introducer',
		'sequence',
		'nothing',
		'paste',
	]);
});
