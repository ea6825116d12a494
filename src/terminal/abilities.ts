import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';

/** Terminals that print escape codes, or don't say what they are: comint of Emacs, consoles without a type, VT52. */
const withoutCodes = /^(|dumb|emacs|unknown|vt52)$/;

/** True if the terminal would print escape codes. Consoles of Windows, which sets `OS`, have no type and obey them. */
export function printsCodes({TERM, OS = ''}: Environment): boolean {
	return withoutCodes.test(TERM ?? OS);
}

/**
 * True if output may have colour: on a terminal, unless `NO_COLOR` (no-color.org) or its type forbids it.
 * `FORCE_COLOR` decides alone, as in Node: `0` or `false` for none.
 */
export function wantsColor(output: {readonly isTTY?: boolean}, env: Environment): boolean {
	const {FORCE_COLOR: forced} = env;
	if (forced) {
		return forced !== '0' && forced !== 'false';
	}

	return Boolean(output.isTTY) && !env['NO_COLOR'] && !printsCodes(env);
}

/** True if a screen reader is in use: words stand for signs, and nothing is drawn. */
export function wantsWords({ACCESSIBLE}: Environment): boolean {
	return Boolean(ACCESSIBLE) && ACCESSIBLE !== '0';
}

/** True if no row may be redrawn: a screen reader is in use, or the terminal would print escape codes. */
export function wantsLinear(env: Environment): boolean {
	return printsCodes(env) || wantsWords(env);
}

/** What a terminal shows: all text, all but our signs, or only ASCII. */
export type Charset = 'utf-8' | 'no signs' | 'ascii';

/** The locale of text. */
type Locale = {
	/** The variable that decides, or that a user would set. */
	readonly name: 'LC_ALL' | 'LC_CTYPE' | 'LANG';
	/** Empty if there is none. */
	readonly value: string;
	readonly isUtf8: boolean;
};

/** Returns the locale of text: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that isn't empty (POSIX). */
export function localeOf(env: Environment): Locale {
	const name = (['LC_ALL', 'LC_CTYPE'] as const).find(each => env[each]) ?? 'LANG';
	const value = env[name] ?? '';
	return {name, value, isUtf8: /utf-?8/i.test(value)};
}

/**
 * Returns what the terminal shows, by its locale. `C` says nothing about other text, which goes out as it is; without a
 * locale, as in containers, the terminal counts as one of UTF-8. So do those of macOS and Windows, whatever the locale is.
 * The font of the Linux console lacks our signs.
 */
export function charsetOf(env: Environment, platform: string): Charset {
	const {value, isUtf8} = localeOf(env);
	if (platform === 'darwin' || platform === 'win32' || isUtf8 || !value) {
		return env['TERM'] === 'linux' ? 'no signs' : 'utf-8';
	}

	return /^(?:C|POSIX)$/.test(value) ? 'no signs' : 'ascii';
}

/** The earliest terminals. */
const withoutInsertion = /^(?:ansi-m|vt100)/;

/** True if the terminal can insert and delete lines (ECMA-48 IL and DL), as nearly all can. */
export function insertsLines({TERM = ''}: Environment): boolean {
	return !withoutInsertion.test(TERM);
}

/** GNU Screen, unless `altscreen` is set there, and the Linux console: they show a full-screen view in the same window. */
const withoutAlternate = /^(?:screen.*|linux.*)$/;

/** Returns true if the terminal surely restores its window after a full-screen view (DEC mode 1049). */
export function hasAlternateScreen({TERM = '', TMUX}: Environment): boolean {
	return Boolean(TMUX) || !(withoutAlternate.test(TERM) || withoutInsertion.test(TERM));
}

/** Throws AppError("usage") if stdin or stdout is not a terminal. */
export function assertTerminal({
	stdin,
	stdout,
}: Readonly<Record<'stdin' | 'stdout', {readonly isTTY?: boolean}>>): void {
	if (!stdin.isTTY || !stdout.isTTY) {
		throw new AppError('usage', `${stdin.isTTY ? 'stdout' : 'stdin'} is not a terminal.`, {
			hint: 'For scripts use `$ -p "prompt"`.',
		});
	}
}
