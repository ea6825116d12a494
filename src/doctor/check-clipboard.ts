import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../core/environment.ts';
import {searchFolders} from '../core/search-path.ts';
import {type Check, good, note} from './check.ts';

/** Terminals that are known to copy with OSC 52 as they come. */
const copies = /^(?:WezTerm|ghostty|vscode|rio|contour)$/;
const copiesByType = /^(?:xterm-kitty|xterm-ghostty|foot|alacritty)/;

/** Programs that read the clipboard, and the variable without which they can't. */
const readers: ReadonlyArray<readonly [program: string, needs?: string]> = [
	['wl-paste', 'WAYLAND_DISPLAY'],
	['xclip', 'DISPLAY'],
	['xsel', 'DISPLAY'],
	['pbpaste'],
];

/** Checks the ways to the clipboard. Nothing is copied. */
export function checkClipboard(env: Environment): Check {
	const {TERM = '', TERM_PROGRAM = '', TMUX, PATH = ''} = env;
	const reader = readers.find(
		([program, needs]) =>
			(!needs || env[needs]) && searchFolders(PATH).some(folder => existsSync(join(folder, program))),
	)?.[0];
	const pastes = reader ? ` Images are pasted with ${reader}.` : '';
	if (TMUX) {
		const fix = 'In ~/.tmux.conf: set -g set-clipboard on';
		return note('Clipboard', `Copying goes through tmux (OSC 52), which must allow it.${pastes}`, fix);
	}

	if (TERM_PROGRAM === 'Apple_Terminal') {
		return note('Clipboard', `Apple's Terminal doesn't copy with OSC 52.${pastes}`, 'Select with the mouse instead.');
	}

	return copies.test(TERM_PROGRAM) || copiesByType.test(TERM)
		? good('Clipboard', `This terminal copies with OSC 52.${pastes}`)
		: note('Clipboard', `Copying uses OSC 52, if this terminal allows it.${pastes}`);
}
