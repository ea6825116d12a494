import {describe, expect, test} from 'vitest';
import {paint, parseSgr} from '../../../src/terminal/text/sgr.ts';
import {createPalette, terminalScheme} from '../../../src/terminal/text/style.ts';
import {colorCodes, type Rgb} from '../../../src/terminal/theme/color-depth.ts';
import {readableScheme} from '../../../src/terminal/theme/readable-scheme.ts';
import {themes} from '../../../src/terminal/theme/themes.ts';

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

const palettes = {
	// The colours of xterm 379, without resources.
	xterm:
		'000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
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
