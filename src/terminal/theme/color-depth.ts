import type {Environment} from '../../core/environment.ts';

/** How many colours a terminal can show; `rgb` is about 16.7 million. */
export type ColorDepth = 16 | 256 | 'rgb';

/** Returns how many colours the terminal can show, as `FORCE_COLOR`, `COLORTERM` or `TERM` names them. */
export function colorDepth({FORCE_COLOR, COLORTERM = '', TERM = '', TERM_PROGRAM = ''}: Environment): ColorDepth {
	switch (FORCE_COLOR) {
		case '1':
			return 16;
		case '2':
			return 256;
		case '3':
			return 'rgb';
		default:
	}

	// The Terminal of macOS shows 256 colours and draws others wrong before version 26.
	if (/^(?:truecolor|24bit)$/i.test(COLORTERM) && TERM_PROGRAM !== 'Apple_Terminal') {
		return 'rgb';
	}

	return /-direct$/.test(TERM) ? 'rgb' : /-256color$|^xterm-(?:kitty|ghostty)$/.test(TERM) ? 256 : 16;
}

/** The channels of a colour, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Returns the channels of `#rrggbb`, 0 to 255. */
export function channelsOf(color: string): Rgb {
	const value = Number.parseInt(color.slice(1), 16);
	return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Returns the SGR parameters that write text in a colour. */
export function colorCodes(color: string, depth: Exclude<ColorDepth, 16>): string {
	return depth === 'rgb' ? `38;2;${channelsOf(color).join(';')}` : `38;5;${nearestOf256(color)}`;
}

const steps = [0, 95, 135, 175, 215, 255] as const;

/** Returns the colour of a number from 16 to 255 in xterm's palette: a cube of 6 x 6 x 6, then 24 greys. */
export function paletteColor(index: number): Rgb {
	if (index >= 232) {
		const grey = 8 + 10 * (index - 232);
		return [grey, grey, grey];
	}

	const cube = index - 16;
	const step = (place: number) => steps[Math.floor(cube / place) % 6] ?? 0;
	return [step(36), step(6), step(1)];
}

/** Returns the number of the nearest colour, without the first 16, which users choose. */
export function nearestOf256(color: string): number {
	const wanted = channelsOf(color);
	const distanceOf = (index: number) =>
		paletteColor(index).reduce((sum, channel, place) => sum + (channel - (wanted[place] ?? 0)) ** 2, 0);
	const all = Array.from({length: 240}, (_, index) => 16 + index);
	return all.reduce((best, index) => (distanceOf(index) < distanceOf(best) ? index : best));
}
