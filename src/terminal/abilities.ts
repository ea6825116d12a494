import type {Environment} from '../core/environment.ts';

/** True where colour is welcome: on a terminal, unless `NO_COLOR` (no-color.org) or a dumb terminal says otherwise. */
export function wantsColor(output: {readonly isTTY?: boolean}, env: Environment): boolean {
	return Boolean(output.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** True where nothing may be redrawn: a screen reader is in use, or the terminal cannot move its cursor. */
export function wantsLinear(env: Environment): boolean {
	return env['TERM'] === 'dumb' || Boolean(env['ACCESSIBLE'] && env['ACCESSIBLE'] !== '0');
}

/** True where the terminal breaks rows that are wider than a window made narrower; the others cut them. */
export function breaksRows(env: Environment): boolean {
	const isScreen = env['STY'] !== undefined && env['TMUX'] === undefined;
	return !isScreen && env['XTERM_VERSION'] === undefined && !/^(?:linux|rxvt)/.test(env['TERM'] ?? '');
}
