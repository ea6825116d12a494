import type {Environment} from '../core/environment.ts';

/** True where colour is welcome: on a terminal, unless `NO_COLOR` (no-color.org) or a dumb terminal says otherwise. */
export function wantsColor(output: {readonly isTTY?: boolean}, env: Environment): boolean {
	return Boolean(output.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** True where nothing may be redrawn: a screen reader is in use, or the terminal cannot move its cursor. */
export function wantsLinear(env: Environment): boolean {
	return env['TERM'] === 'dumb' || Boolean(env['ACCESSIBLE'] && env['ACCESSIBLE'] !== '0');
}
