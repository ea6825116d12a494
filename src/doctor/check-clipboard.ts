import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../core/environment.ts';
import {searchFolders} from '../core/search-path.ts';
import {clipboardSupport} from '../terminal/clipboard.ts';
import {type Check, good, note} from './check.ts';

/** Programs that read the clipboard, and the variable without which they can't. */
const readers: ReadonlyArray<readonly [program: string, needs?: string]> = [
	['wl-paste', 'WAYLAND_DISPLAY'],
	['xclip', 'DISPLAY'],
	['xsel', 'DISPLAY'],
	['pbpaste'],
];

/** Checks the ways to the clipboard. Nothing is copied. */
export function checkClipboard(env: Environment): Check {
	const {PATH = ''} = env;
	const reader = readers.find(
		([program, needs]) =>
			(!needs || env[needs]) && searchFolders(PATH).some(folder => existsSync(join(folder, program))),
	)?.[0];
	const pastes = reader ? ` Images are pasted with ${reader}.` : '';
	switch (clipboardSupport(env)) {
		case 'tmux':
			return note(
				'Clipboard',
				`Copying goes through tmux, whose buffer has what you copy.${pastes}`,
				'If the clipboard of the terminal stays empty, in ~/.tmux.conf: set -g set-clipboard on',
			);
		case 'no':
			return note(
				'Clipboard',
				`This terminal doesn't copy with OSC 52.${pastes}`,
				'Copies are kept in a file instead.',
			);
		case 'yes':
			return good('Clipboard', `This terminal copies with OSC 52.${pastes}`);
		default:
			return note('Clipboard', `Copying uses OSC 52, if this terminal allows it.${pastes}`);
	}
}
