import {describe, expect, test} from 'vitest';
import {paint, parseSgr} from '../../../src/terminal/text/sgr.ts';
import {createPalette, terminalScheme} from '../../../src/terminal/text/style.ts';
import {channelsOf, colorCodes, paletteColor, type Rgb} from '../../../src/terminal/theme/color-depth.ts';
import {contrast, readableScheme} from '../../../src/terminal/theme/readable-scheme.ts';
import {themes} from '../../../src/terminal/theme/themes.ts';

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

const palettes = {
	// The colours of xterm 379, without resources.
	xterm:
		'000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
	solarized:
		'073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3',
	github:
		'24292f cf222e 116329 4d2d00 0969da 8250df 1b7c83 6e7781 57606a a40e26 1a7f37 633c01 218bff a475f9 3192aa 8c959f',
	tango:
		'2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec',
	// “GNOME” of VTE 0.70.
	gnome:
		'171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc 5e5c64 f66151 33d17a e9ad0c 2a7bde c061cb 33c7de ffffff',
};

function colorsOf(palette: string): ReadonlyMap<number, Rgb> {
	const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
	return new Map(
		palette.split(' ').map((color, index) => [index, [channel(color, 0), channel(color, 2), channel(color, 4)]]),
	);
}

const colors = (name: keyof typeof palettes, background: Rgb) => ({background, own: colorsOf(palettes[name])});
type Colors = {readonly foreground: Rgb; readonly background: Rgb; readonly own: ReadonlyMap<number, Rgb>};

/** Returns the colour that SGR parameters draw; faint text as a terminal that mixes in half of the background. */
function colorOf(codes: string, {foreground, background, own}: Colors): Rgb {
	const [, red, green, blue] = /^38;2;(\d+);(\d+);(\d+)$/.exec(codes) ?? [];
	const [, index] = /^38;5;(\d+)$/.exec(codes) ?? [];
	const [, kind, digit] = /^([39])([0-7])$/.exec(codes) ?? [];
	const half = (place: 0 | 1 | 2) => (foreground[place] + background[place]) / 2;
	return red !== undefined
		? [Number(red), Number(green), Number(blue)]
		: index !== undefined
			? paletteColor(Number(index))
			: kind !== undefined
				? (own.get(Number(digit) + (kind === '9' ? 8 : 0)) ?? foreground)
				: codes === '2'
					? [half(0), half(1), half(2)]
					: foreground;
}

const light = (ink: keyof typeof terminalScheme & keyof NonNullable<typeof themes.auto.light>) =>
	colorCodes(themes.auto.light?.[ink] ?? '', 'rgb');

describe('colours of the terminal that its background swallows', () => {
	test('are replaced by those of the theme for it; all others stay', () => {
		const scheme = readableScheme(terminalScheme, colors('xterm', white), 'rgb');
		expect(scheme).toMatchObject({
			...{accent: '35', bad: '31', blue: '34', violet: '35'},
			...{caution: light('caution'), good: light('good'), cyan: light('cyan'), amber: light('amber')},
			moreSeries: ['95', '94'],
		});
		const onBlack = {caution: '33', good: '32', muted: '2', blue: colorCodes(themes.auto.dark?.blue ?? '', 'rgb')};
		expect(readableScheme(terminalScheme, colors('xterm', black), 'rgb')).toMatchObject(onBlack);
	});

	test('are joined by faint text on a light background: terminals darken it, and black stays black', () => {
		expect(readableScheme(terminalScheme, colors('gnome', white), 256).muted).toBe(
			colorCodes(themes.auto.light?.muted ?? '', 256),
		);
	});

	test('become ordinary text if there are only 16', () => {
		expect(readableScheme(terminalScheme, colors('xterm', white), 16)).toMatchObject({caution: '', accent: '35'});
	});

	test('become a grey of the terminal, if they are faint and there are only 16', () => {
		const muted = (given: Parameters<typeof readableScheme>[1]) => readableScheme(terminalScheme, given, 16).muted;
		expect([muted(colors('xterm', white)), muted(colors('gnome', white))]).toEqual(['90', '90']);
		expect(muted(colors('xterm', black))).toBe('2');
		const withBrightBlack = (color: Rgb) => ({background: white, own: new Map([[8, color]])});
		expect([muted(withBrightBlack([0, 43, 54])), muted(withBrightBlack([220, 220, 220]))]).toEqual(['2', '2']);
		expect(muted({background: white, own: new Map()})).toBe('2');
	});

	test.each([
		['xterm', '#e5e5e5', '#000000'],
		['xterm', '#000000', '#ffffff'],
		['solarized', '#839496', '#002b36'],
		['solarized', '#657b83', '#fdf6e3'],
		['github', '#1f2328', '#ffffff'],
		['tango', '#d3d7cf', '#2e3436'],
		['tango', '#d3d7cf', '#000000'],
		['tango', '#2e3436', '#eeeeec'],
		['gnome', '#d0cfcc', '#1e1e1e'],
	] as const)('leave no ink of %s, with text of %s on %s, below 3:1, and none is louder than text', (...named) => {
		const [name, text, ground] = named;
		const [foreground, background] = [channelsOf(text), channelsOf(ground)];
		const own = colorsOf(palettes[name]);
		for (const depth of [16, 256, 'rgb'] as const) {
			const {moreSeries, unreadable, ...inks} = readableScheme(terminalScheme, {foreground, background, own}, depth);
			const ratio = (codes: string) => contrast(colorOf(codes, {foreground, background, own}), background);
			for (const [ink, codes] of Object.entries(inks)) {
				expect(ratio(codes), `${ink} ${codes} at ${depth}`).toBeGreaterThanOrEqual(3);
			}

			expect(ratio(inks.muted), `muted at ${depth}`).toBeLessThanOrEqual(contrast(foreground, background));
		}
	});

	test('are left alone by a terminal that names none, and in a theme with colours of its own', () => {
		const unnamed = {background: black, own: new Map()};
		expect(readableScheme(terminalScheme, unnamed, 'rgb')).toEqual({...terminalScheme, unreadable: new Set()});
		const own = {...terminalScheme, caution: '38;2;1;2;3'};
		expect(readableScheme(own, colors('xterm', white), 'rgb').caution).toBe('38;2;1;2;3');
	});

	test('are ordinary text in the output of commands, unless that sets a background of its own', () => {
		const drawn = (scheme: typeof terminalScheme) => {
			const palette = createPalette({color: true, scheme});
			return paint(parseSgr('\u001b[37mw\u001b[1;33my\u001b[0;37;44mb\u001b[0;31mr'), palette);
		};
		expect(drawn(readableScheme(terminalScheme, colors('xterm', white), 'rgb'))).toBe(
			'w\u001b[1my\u001b[0m\u001b[37;44mb\u001b[0m\u001b[31mr\u001b[0m',
		);
		expect(drawn(terminalScheme)).toContain('\u001b[37mw');
		const {unreadable} = readableScheme(terminalScheme, colors('gnome', white), 'rgb');
		expect([...(unreadable ?? [])]).toEqual([7, 10, 15]);
	});
});
