import type {Environment} from '../../core/environment.ts';
import {multiplexerOf} from '../../terminal/terminal-kind.ts';

/** Returns the label of a key as it is pressed in this terminal. The prefix of tmux reaches a program with its second press. */
export function pressedLabel(label: string, env: Environment): string {
	return multiplexerOf(env) === 'tmux' ? label.replace(/(?<!\+)Ctrl\+B\b/g, '$& $&') : label;
}
