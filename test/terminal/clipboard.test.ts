import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {clipboardSupport, plainCopy} from '../../src/terminal/clipboard.ts';
import {expectLinear} from '../growth.ts';

test.each([
	['\u001B[31mred\u001B[0m', 'red'],
	['\u001B]0;title\u0007text', 'text'],
	['\u001B]8;;https://example.com\u001B\\link\u001B]8;;\u001B\\', 'link'],
	['ls\u001B[201~\nrm -rf ~\n', 'ls\nrm -rf ~'],
	['\u001B\u001B[2J[2Jx', '[2Jx'],
	['\u009B31mx\u009D0;t\u009Cy', 'xy'],
	['one\r\ntwo\rthree\n\n', 'one\ntwo\nthree'],
	['\tif x:\n\t\tpass  \n', '\tif x:\n\t\tpass  '],
	['پارسی\u200Cها 👩‍👩‍👧', 'پارسی\u200Cها 👩‍👩‍👧'],
])('%j is copied as %j [3]', (text, copied) => {
	expect(plainCopy(text)).toBe(copied);
});

test('nothing that a terminal obeys is ever left [3]', () => {
	const part = fc.constantFrom(
		'\u001B',
		'[',
		']52;c;',
		'\u009B',
		'P',
		'\u0007',
		'\\',
		'2J',
		'\u009C',
		'x',
		'\n',
		'\r',
		' ',
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(part, fc.string()), {maxLength: 30}), parts => {
			expect(plainCopy(parts.join(''))).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
		}),
	);
});

test('the cost of unfinished sequences grows with their length', () => {
	expectLinear(size => plainCopy('\u001B]'.repeat(size)), 20_000);
});

test.each([
	[{TERM: 'xterm-kitty'}, 'yes'],
	[{TERM: 'xterm-256color', ALACRITTY_WINDOW_ID: '1'}, 'yes'],
	[{TERM: 'xterm-256color', VTE_VERSION: '7006'}, 'no'],
	[{TERM: 'xterm-256color', KONSOLE_VERSION: '221203'}, 'unknown'],
	[{TERM: 'tmux-256color', TMUX: '/tmp/tmux', ALACRITTY_WINDOW_ID: '1'}, 'tmux'],
])('whether the terminal of %o copies: %s', (env, support) => {
	expect(clipboardSupport(env)).toBe(support);
});
