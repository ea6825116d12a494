import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';

/**
 * True if output may have colour: on a terminal, unless `NO_COLOR` (no-color.org) or a dumb terminal forbids it.
 * `FORCE_COLOR` decides alone, as in Node: `0` or `false` for none.
 */
export function wantsColor(output: {readonly isTTY?: boolean}, env: Environment): boolean {
	const {FORCE_COLOR: forced} = env;
	if (forced) {
		return forced !== '0' && forced !== 'false';
	}

	return Boolean(output.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** True if a screen reader is in use: words stand for signs, and nothing is drawn. */
export function wantsWords({ACCESSIBLE}: Environment): boolean {
	return Boolean(ACCESSIBLE) && ACCESSIBLE !== '0';
}

/** True if no row may be redrawn: a screen reader is in use, or the terminal can't move its cursor. */
export function wantsLinear(env: Environment): boolean {
	return env['TERM'] === 'dumb' || wantsWords(env);
}

/** The earliest terminals, and names that say nothing about the terminal. */
const withoutInsertion = /^(?:|dumb|unknown|network|ansi-m.*|vt(?:50|52|100)(?:-.*)?)$/;

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
