import {expect, test} from 'vitest';
import type {Environment} from '../../src/core/environment.ts';
import {hasAlternateScreen, insertsLines, printsCodes, wantsColor, wantsLinear} from '../../src/terminal/abilities.ts';
import {isStranger} from '../../src/terminal/terminal-kind.ts';

test.each([
	[{TERM: 'xterm-256color'}, true, true],
	[{TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0'}, true, true],
	[{TERM: 'screen-256color', TMUX: '/tmp/tmux-0/default,1,0'}, true, true],
	[{TERM: 'screen.xterm-256color'}, false, true],
	[{TERM: 'linux'}, false, true],
	[{TERM: 'vt100'}, false, false],
])('%j surely has an alternate screen: %s; inserts lines: %s', (env, alternate, inserts) => {
	expect([hasAlternateScreen(env), insertsLines(env)]).toEqual([alternate, inserts]);
});

test.each<Environment>([
	...['', 'dumb', 'emacs', 'unknown', 'vt52'].map(TERM => ({TERM})),
	{},
	{OS: 'Windows_NT', TERM: 'dumb'},
])('%j would print escape codes, and gets lines without colour', env => {
	expect([printsCodes(env), wantsLinear(env), wantsColor({isTTY: true}, env)]).toEqual([true, true, false]);
});

test.each<Environment>([
	...['xterm', 'linux', 'vt100', 'vt520', 'eterm-color', 'screen', 'ansi'].map(TERM => ({TERM})),
	// Consoles of Windows have no type.
	{OS: 'Windows_NT'},
])('%j obeys escape codes', env => {
	expect([printsCodes(env), wantsLinear(env), wantsColor({isTTY: true}, env)]).toEqual([false, false, true]);
});

test.each(['xterm-256color', 'linux', 'vt220', 'eterm-color', 'sun-color', 'xterm-ghostty', 'tmux', ''])(
	'a terminal of the type “%s” isn’t asked whether it obeys codes',
	TERM => {
		expect(isStranger({TERM})).toBe(false);
	},
);

test('a terminal of a type that nobody knows is asked, unless a variable tells what it is', () => {
	expect(isStranger({TERM: 'frobnicate'})).toBe(true);
	expect(isStranger({TERM: 'frobnicate', WEZTERM_PANE: '1'})).toBe(false);
});
