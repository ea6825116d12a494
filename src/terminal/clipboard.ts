import {spawn} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';

/** Escape sequences: control sequences, strings such as titles and links, and all others (ECMA-48). */
const escapeSequences =
	/(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]{0,4096}(?:\u0007|\u009C|\u001B\\)?|\u001B[ -/]*[0-~]/g;

/** All that remains of them, and other control characters except line ends and tabs. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/**
 * Returns a text as it may be in a clipboard: without escape sequences or other control characters, which a terminal that
 * it is pasted into would obey, and without a line end behind it (SAFETY 3).
 */
export function plainCopy(text: string): string {
	return text.replace(/\r\n?/g, '\n').replace(escapeSequences, '').replace(controls, '').replace(/\n+$/, '');
}

/** In UTF-8. The sequence stays below the 100,000 bytes that terminals accept. */
const maxCopyBytes = 74_000;

/** Characters of a string that GNU screen passes on at once. */
const screenChunk = 76;

/**
 * Returns the sequence that copies a text (OSC 52), '' for one that is too long. tmux gets it in two ways, as it depends on
 * its settings which one it accepts: for itself, and to pass on. GNU screen only passes it on, in short parts.
 */
export function copySequence(text: string, {TMUX, STY, TERM = ''}: Environment = {}): string {
	const bytes = Buffer.from(text, 'utf8');
	if (bytes.length > maxCopyBytes) {
		return '';
	}

	const copy = `\u001b]52;c;${bytes.toString('base64')}`;
	if (TMUX || TERM.startsWith('tmux')) {
		return `${copy}\u001b\\\u001bPtmux;\u001b${copy}\u0007\u001b\\`;
	}

	const parts = STY ? `${copy}\u0007`.match(new RegExp(`[^]{1,${screenChunk}}`, 'g')) : undefined;
	return parts ? parts.map(part => `\u001bP${part}\u001b\\`).join('') : `${copy}\u001b\\`;
}

/** How long tmux may take to read a text. */
const tmuxTimeoutMs = 3000;

/** The environment variables that tmux needs; no other is passed on (SAFETY 15). */
const tmuxVariables = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMUX', 'TMUX_TMPDIR', 'USER'];

/**
 * Puts a text into a new buffer of tmux, which also sends it to the clipboard of its terminal. As it comes, tmux accepts
 * neither OSC 52 nor other sequences from programs in it. Never throws; nothing happens if tmux refuses.
 */
function copyInTmux(text: string, env: Environment): void {
	const variables = Object.fromEntries(
		tmuxVariables.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
	);
	const child = spawn('tmux', ['load-buffer', '-w', '-'], {
		env: {...variables, PATH: searchPath(env['PATH'] ?? '')},
		stdio: ['pipe', 'ignore', 'ignore'],
		timeout: tmuxTimeoutMs,
		windowsHide: true,
	});
	child.on('error', () => undefined);
	child.stdin.on('error', () => undefined);
	child.stdin.end(text);
	child.unref();
}

/**
 * Whether a terminal copies what a program sends to it with OSC 52: `yes`, `no`, through `tmux`, or `unknown`, because no
 * terminal answers.
 */
export type ClipboardSupport = 'yes' | 'no' | 'tmux' | 'unknown';

/** Terminals that are known to copy as they come. */
const copyingPrograms = /^(?:WezTerm|ghostty|vscode|rio|contour)$/;
const copyingTypes = /^(?:xterm-kitty|xterm-ghostty|foot|alacritty)/;

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
	return copyingPrograms.test(TERM_PROGRAM) || copyingTypes.test(TERM) || ALACRITTY_WINDOW_ID ? 'yes' : 'unknown';
}

/** The way that a copy went to the clipboard, as the user reads it. */
export type CopyWay = 'OSC 52' | 'through tmux';

/**
 * Sends a text to the clipboard of the terminal, without control characters (SAFETY 3). Returns the way it went; undefined
 * if it is too long, or the terminal is known not to copy.
 */
export function copyTo(write: (text: string) => void, copied: string, env: Environment): CopyWay | undefined {
	const text = plainCopy(copied);
	const support = clipboardSupport(env);
	const sequence = support === 'no' ? '' : copySequence(text, env);
	if (sequence === '') {
		return undefined;
	}

	write(sequence);
	if (support !== 'tmux') {
		return 'OSC 52';
	}

	copyInTmux(text, env);
	return 'through tmux';
}

/** Returns what the user reads about a copy. */
export function copyNote(what: string, way: CopyWay | undefined): string {
	return way ? `Copied ${what} (${way}).` : 'Not copied: too long, or not supported by this terminal.';
}
