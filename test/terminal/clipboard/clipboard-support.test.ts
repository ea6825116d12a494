import {expect, test} from 'vitest';
import {clipboardSupport} from '../../../src/terminal/clipboard/clipboard-support.ts';

test.each([
	[{TERM: 'xterm-kitty'}, 'yes'],
	[{TERM: 'xterm-256color', ALACRITTY_WINDOW_ID: '1'}, 'yes'],
	[{TERM: 'xterm-256color', VTE_VERSION: '7006'}, 'no'],
	[{TERM: 'xterm-256color', KONSOLE_VERSION: '221203'}, 'unknown'],
	[{TERM: 'tmux-256color', TMUX: '/tmp/tmux', ALACRITTY_WINDOW_ID: '1'}, 'tmux'],
])('whether the terminal of %o copies: %s', (env, support) => {
	expect(clipboardSupport(env)).toBe(support);
});
