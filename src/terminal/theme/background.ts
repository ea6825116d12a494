import type {Environment} from '../../core/environment.ts';

/** Whether the terminal's background is light or dark; unknown until it answers, or if it doesn't. */
export type BackgroundColor = 'light' | 'dark' | undefined;

/**
 * Returns the background that `COLORFGBG` names, such as `15;0`: the last number is one of 16 colours. rxvt, Konsole and
 * others set it. Returns undefined if there is none.
 */
export function backgroundOf({COLORFGBG = ''}: Environment): BackgroundColor {
	const last = /^\d{1,3};(?:[\w-]+;)?(\d{1,2})$/.exec(COLORFGBG)?.[1];
	if (last === undefined || Number(last) > 15) {
		return undefined;
	}

	return Number(last) === 7 || Number(last) >= 9 ? 'light' : 'dark';
}

/** Returns whether a background, whose channels are 0 to 255, is light. */
export function backgroundOfColor({
	red,
	green,
	blue,
}: Readonly<Record<'red' | 'green' | 'blue', number>>): 'light' | 'dark' {
	return 0.299 * red + 0.587 * green + 0.114 * blue > 127 ? 'light' : 'dark';
}
