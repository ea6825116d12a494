import type {Environment} from '../../core/environment.ts';

/**
 * Whether a terminal copies what a program sends to it with OSC 52: `yes`, `no`, through `tmux`, or `unknown`, because no
 * terminal answers.
 */
export type ClipboardSupport = 'yes' | 'no' | 'tmux' | 'unknown';

/** Terminals that are known to copy as they come. */
const copies = /^(?:WezTerm|ghostty|vscode|rio|contour)$/;
const copiesByType = /^(?:xterm-kitty|xterm-ghostty|foot|alacritty)/;

/** Returns whether the terminal that this environment describes copies. */
export function clipboardSupport(env: Environment): ClipboardSupport {
	const {TERM = '', TERM_PROGRAM = '', TMUX, VTE_VERSION, ALACRITTY_WINDOW_ID} = env;
	if (TMUX) {
		return 'tmux';
	}

	if (TERM_PROGRAM === 'Apple_Terminal' || TERM === 'dumb' || TERM === 'linux' || VTE_VERSION) {
		return 'no';
	}

	// Without its terminfo entry Alacritty is of the type xterm-256color.
	return copies.test(TERM_PROGRAM) || copiesByType.test(TERM) || ALACRITTY_WINDOW_ID ? 'yes' : 'unknown';
}
