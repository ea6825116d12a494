import {spawn} from 'node:child_process';
import type {Environment} from '../../core/environment.ts';
import {searchPath} from '../../core/search-path.ts';

const timeoutMs = 3000;

/** The environment variables that tmux needs; no other is passed on (SAFETY 15). */
const passed = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMUX', 'TMUX_TMPDIR', 'USER'];

/**
 * Puts a text into a new buffer of tmux, which also sends it to the clipboard of its terminal. As it comes, tmux accepts
 * neither OSC 52 nor other sequences from programs in it. Never throws; nothing happens if tmux refuses.
 */
export function copyInTmux(text: string, env: Environment): void {
	const variables = Object.fromEntries(passed.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
	const child = spawn('tmux', ['load-buffer', '-w', '-'], {
		env: {...variables, PATH: searchPath(env['PATH'] ?? '')},
		stdio: ['pipe', 'ignore', 'ignore'],
		timeout: timeoutMs,
		windowsHide: true,
	});
	child.on('error', () => undefined);
	child.stdin.on('error', () => undefined);
	child.stdin.end(text);
	child.unref();
}
