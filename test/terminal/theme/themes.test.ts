import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createPalette, recolor, terminalScheme} from '../../../src/terminal/text/style.ts';
import {channelsOf, colorDepth, nearestOf256, paletteColor} from '../../../src/terminal/theme/color-depth.ts';
import {contrast} from '../../../src/terminal/theme/readable-scheme.ts';
import {themeNames, themeOf} from '../../../src/terminal/theme/theme-names.ts';
import {schemeOf, themes} from '../../../src/terminal/theme/themes.ts';
import {apart} from './color-blindness.ts';

/** Backgrounds of terminals and of well-known themes, from the darkest to the lightest. */
const backgrounds = {
	dark: ['#000000', '#1e1e1e', '#002b36', '#282c34', '#300a24'],
	light: ['#ffffff', '#f6f8fa', '#fdf6e3', '#eff1f5'],
} as const;

const sides = ['dark', 'light'] as const;
const cases = themeNames.flatMap(name =>
	sides.flatMap(side => {
		const colors = themes[name][side];
		// A theme for one side is never shown on the other unless its user says so.
		return !colors || (name !== side && (name === 'dark' || name === 'light')) ? [] : [{name, side, colors}];
	}),
);

test.each(cases)('$name on a $side background: every ink can be read, at 256 colours too', ({name, side, colors}) => {
	const isHigh = name === 'high-contrast';
	for (const [ink, color] of Object.entries(colors)) {
		const least = isHigh ? 7 : ink === 'muted' ? 3 : 4.5;
		for (const background of backgrounds[side]) {
			const shown = [channelsOf(color), paletteColor(nearestOf256(color))] as const;
			for (const each of shown) {
				expect([ink, background, contrast(each, channelsOf(background)) >= least]).toEqual([ink, background, true]);
			}
		}
	}
});

test.each(['protanopia', 'deuteranopia'] as const)('added and removed lines are told apart with %s', kind => {
	for (const side of sides) {
		const {good = '', bad = ''} = themes['colour-blind'][side] ?? {};
		const {good: green = '', bad: red = ''} = themes.auto[side] ?? {};
		expect(apart(good, bad, kind)).toBeGreaterThan(2 * apart(green, red, kind));
		expect(apart(good, bad, kind)).toBeGreaterThan(0.3);
	}
});

test.each([
	[{TERM: 'xterm'}, 16],
	[{TERM: 'xterm-256color'}, 256],
	[{TERM: 'xterm-kitty'}, 256],
	[{TERM: 'xterm-direct'}, 'rgb'],
	[{TERM: 'xterm-256color', COLORTERM: 'truecolor'}, 'rgb'],
	[{TERM: 'tmux-256color', COLORTERM: '24bit'}, 'rgb'],
	[{TERM: 'xterm-256color', COLORTERM: 'truecolor', TERM_PROGRAM: 'Apple_Terminal'}, 256],
	[{TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '1'}, 16],
	[{TERM: 'xterm', FORCE_COLOR: '2'}, 256],
	[{TERM: 'xterm', FORCE_COLOR: '3'}, 'rgb'],
	[{}, 16],
] as const)('the colours that %j can show', (env, depth) => {
	expect(colorDepth(env)).toBe(depth);
});

test('a colour is written as far as the terminal can show it', () => {
	expect(schemeOf('auto', 'dark', 'rgb').good).toBe('38;2;127;216;143');
	expect(schemeOf('auto', 'dark', 256).good).toMatch(/^38;5;\d+$/);
	for (const name of themeNames) {
		for (const side of [...sides, undefined]) {
			expect(
				Object.values(schemeOf(name, side, 16))
					.flat()
					.join(),
			).not.toContain('38;');
		}
	}
});

test('while the background is unknown no theme uses a colour that needs one, unless the user names the background', () => {
	expect(schemeOf('auto', undefined, 'rgb')).toEqual(terminalScheme);
	expect(schemeOf('high-contrast', undefined, 'rgb')).toEqual(themes['high-contrast'].basic);
	expect(schemeOf('light', undefined, 'rgb')).toEqual(schemeOf('light', 'dark', 'rgb'));
	expect(schemeOf('dark', undefined, 'rgb')).not.toEqual(schemeOf('light', undefined, 'rgb'));
});

test('a palette in use changes its colours; one without colour stays without', () => {
	const palette = createPalette({color: true});
	const {syntax} = createPalette({color: true});
	recolor(palette, schemeOf('dark', undefined, 'rgb'));
	expect([palette.accent('x'), palette.label('x')]).toEqual([
		'\u001B[38;2;210;166;255mx\u001B[0m',
		'\u001B[1mx\u001B[0m',
	]);
	expect(syntax.keyword('x')).toBe('\u001B[35mx\u001B[0m');
	const plain = createPalette({color: false});
	recolor(plain, schemeOf('dark', undefined, 'rgb'));
	expect([plain.accent('x'), plain.strong('x')]).toEqual(['x', '**x**']);
});

test('a theme is found by its name in both spellings', () => {
	expect([themeOf('color-blind'), themeOf('colour-blind'), themeOf('pink'), themeOf(undefined)]).toEqual([
		'colour-blind',
		'colour-blind',
		undefined,
		undefined,
	]);
});

/** Files that know colours: the roles, the themes, and those that redraw the colours of other programs. */
const colorFiles = [/^src\/terminal\/text\/(?:style|sgr|ansi)\.ts$/, /^src\/terminal\/theme\//];

test('nothing else names a colour: everything is drawn in roles', () => {
	const sources = ['src', 'commands'].flatMap(folder =>
		readdirSync(folder, {recursive: true, encoding: 'utf8'})
			.filter(name => /\.tsx?$/.test(name))
			.map(name => join(folder, name)),
	);
	const drawn = sources.filter(
		path => !/^src\/(?:server|loader)\//.test(path) && !colorFiles.some(file => file.test(path)),
	);
	expect(drawn.length).toBeGreaterThan(400);
	const named = drawn.filter(path =>
		/\\u001[bB]\[[1-9][\d;]*m|\b(?:color|background|borderColor|backgroundColor)=["{']|\bcolor: (?:\d|['"]#?\w)|\b(?:dimColor|inverse:|bold:)/.test(
			readFileSync(path, 'utf8'),
		),
	);
	expect(named).toEqual([]);
});
