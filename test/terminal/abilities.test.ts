import {expect, test} from 'vitest';
import {hasAlternateScreen, insertsLines} from '../../src/terminal/abilities.ts';

test.each([
	[{TERM: 'xterm-256color'}, true, true],
	[{TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0'}, true, true],
	[{TERM: 'screen-256color', TMUX: '/tmp/tmux-0/default,1,0'}, true, true],
	[{TERM: 'screen.xterm-256color'}, false, true],
	[{TERM: 'linux'}, false, true],
	[{TERM: 'vt100'}, false, false],
	[{TERM: 'unknown'}, false, false],
	[{}, false, false],
])('%j surely has an alternate screen: %s; inserts lines: %s', (env, alternate, inserts) => {
	expect([hasAlternateScreen(env), insertsLines(env)]).toEqual([alternate, inserts]);
});
