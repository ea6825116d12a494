/** The themes and what each is for, in the order shown. The first is the default. */
export const themeSummaries = {
	terminal: "your terminal's own 16 colours",
	auto: 'light or dark, like your terminal',
	light: 'for a light background',
	dark: 'for a dark background',
	'high-contrast': 'a contrast of 7:1 or more',
	'colour-blind': 'blue and orange for red and green',
} as const;

export type ThemeName = keyof typeof themeSummaries;

export const themeNames = Object.keys(themeSummaries) as readonly ThemeName[];

/** The theme of a terminal whose user has chosen none. */
export const defaultTheme: ThemeName = 'terminal';

/** Returns the theme of a name; undefined if there is none. */
export function themeOf(name: string | undefined): ThemeName | undefined {
	return themeNames.find(each => each === name || each === name?.replace('color', 'colour'));
}
