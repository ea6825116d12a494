import type {Environment} from '../../core/environment.ts';
import {type Ink, type Scheme, terminalScheme} from '../text/style.ts';
import {type BackgroundColor, backgroundOf} from './background.ts';
import {type ColorDepth, colorCodes, colorDepth} from './color-depth.ts';
import type {ThemeName} from './theme-names.ts';

/** A colour of each ink, as `#rrggbb`. */
export type Colors = Readonly<Record<Ink, string>>;

type Theme = {
	/** For 16 colours, and for a background that isn't known: nothing here may be invisible on any. */
	readonly basic: Scheme;
	/** For a known background, on a terminal with 256 colours or more. */
	readonly dark?: Colors;
	readonly light?: Colors;
};

const dark: Colors = {
	accent: '#d2a6ff',
	muted: '#8b97a8',
	good: '#7fd88f',
	caution: '#f2c572',
	bad: '#ff8f98',
	violet: '#d2a6ff',
	blue: '#8ac2ff',
	cyan: '#6fd3e0',
	green: '#a8d99c',
	amber: '#e8c083',
};

const light: Colors = {
	accent: '#6f2dbd',
	muted: '#626b76',
	good: '#0f5f26',
	caution: '#7a4300',
	bad: '#ab1a1a',
	violet: '#6f2dbd',
	blue: '#0a4ea3',
	cyan: '#0a5a68',
	green: '#0f5f26',
	amber: '#7a4300',
};

/** Bold and underlined text in the terminal's own colour for text. */
const withoutColors: Scheme = {
	accent: '1',
	muted: '',
	good: '1',
	caution: '1;4',
	bad: '1;7',
	violet: '1',
	blue: '',
	cyan: '4',
	green: '',
	amber: '',
};

/** The colours of the color-blind scheme are blue and orange, which those who confuse red and green tell apart. */
const blueAndYellow: Scheme = {...terminalScheme, accent: '36', good: '94', bad: '33', caution: '35', green: '94'};

export const themes: Readonly<Record<ThemeName, Theme>> = {
	terminal: {basic: terminalScheme},
	auto: {basic: terminalScheme, dark, light},
	dark: {basic: terminalScheme, dark, light: dark},
	light: {basic: terminalScheme, dark: light, light},
	'high-contrast': {
		basic: withoutColors,
		dark: {
			accent: '#ffe45c',
			muted: '#d4d4d4',
			good: '#8dffa5',
			caution: '#ffd75f',
			bad: '#ffb3b3',
			violet: '#e3c4ff',
			blue: '#bcdcff',
			cyan: '#8df6ff',
			green: '#b8ffb0',
			amber: '#ffdf9e',
		},
		light: {
			accent: '#4b0f80',
			muted: '#3d3d3d',
			good: '#00420e',
			caution: '#4f2c00',
			bad: '#850000',
			violet: '#4b0f80',
			blue: '#00005f',
			cyan: '#00313a',
			green: '#00420e',
			amber: '#4f2c00',
		},
	},
	'colour-blind': {
		basic: blueAndYellow,
		dark: {
			...dark,
			accent: '#f0b8e4',
			good: '#79b8ff',
			caution: '#f4e285',
			bad: '#ffa657',
			green: '#79b8ff',
			amber: '#f4e285',
		},
		light: {
			...light,
			accent: '#8a1c7c',
			good: '#0a4ea3',
			caution: '#5f5200',
			bad: '#964400',
			green: '#0a4ea3',
			amber: '#5f5200',
		},
	},
};

/** Returns true for a theme that looks otherwise on a light background than on a dark one. */
export function needsBackground(name: ThemeName): boolean {
	const {dark, light} = themes[name];
	return dark !== light;
}

/** Returns the colours of a theme as far as the environment names the background. */
export function knownScheme(name: ThemeName, env: Environment): Scheme {
	return schemeOf(name, backgroundOf(env), colorDepth(env));
}

/** Returns the colours of a theme on a background, as far as the terminal can show them. */
export function schemeOf(name: ThemeName, background: BackgroundColor, depth: ColorDepth): Scheme {
	const {basic, ...variants}: Theme = themes[name];
	const known = background ?? (name === 'light' || name === 'dark' ? name : undefined);
	const colors = known && variants[known];
	if (!colors || depth === 16) {
		return basic;
	}

	const coded = Object.entries(colors).map(([ink, color]): [string, string] => [ink, colorCodes(color, depth)]);
	return {...basic, moreSeries: [], ...Object.fromEntries(coded)};
}
