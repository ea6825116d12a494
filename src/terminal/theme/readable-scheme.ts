import type {Ink, Scheme} from '../text/style.ts';
import {backgroundOfColor} from './background.ts';
import {type ColorDepth, channelsOf, colorCodes, nearestOf256, paletteColor, type Rgb} from './color-depth.ts';
import {themes} from './themes.ts';

/** What the terminal says of its colours. */
export type TerminalColors = {
	readonly background: Rgb;
	/** The colour of ordinary text. */
	readonly foreground?: Rgb | undefined;
	/** Its own 16 colours, as far as it names them. */
	readonly own: ReadonlyMap<number, Rgb>;
};

/** The least contrast of our own text (WCAG 2.2, large text), and of text that a program coloured, which wants that colour. */
const leastContrast = 3;
const leastOfOthers = 2;

const faint = '2';
/** How much of the colour of text is left of it when it is faint, at least: terminals mix in their background, or darken it. */
const faintPart = 0.5;
/** The same for text that we soften ourselves: the first that can be read. */
const softParts = [0.6, 0.7, 0.8, 0.9];
/** Bright black, and the most contrast of one that is a grey: of some terminals it is another black. */
const grey = {index: 8, codes: '90', mostContrast: 10};

/**
 * Returns a scheme in which each of the terminal's own colours that can't be read on its background, such as xterm's yellow
 * on white, is replaced by that of the theme for such a background; in 16 colours by ordinary text. Faint
 * text on a light background is replaced, too: terminals darken it, and black stays black; and where ordinary text has
 * little contrast itself, as in Solarized. In 16 colours it becomes the terminal's grey, if that can be read. A colour that isn't
 * named stays.
 */
export function readableScheme(scheme: Scheme, terminal: TerminalColors, depth: ColorDepth): Scheme {
	const {background, foreground, own} = terminal;
	const [red, green, blue] = background;
	const ground = backgroundOfColor({red, green, blue});
	const colors = themes.auto[ground];
	const below = (least: number) =>
		new Set([...own].flatMap(([index, color]) => (contrast(color, background) < least ? [index] : [])));
	const poor = below(leastContrast);
	const isTooFaint =
		foreground !== undefined && contrast(mix(foreground, background, faintPart), background) < leastContrast;
	const isPoor = (codes: string) =>
		poor.has(ownColorOf(codes) ?? -1) || (codes === faint && (isTooFaint || ground === 'light'));
	const faintInSixteen = hasGrey({background, own}) ? grey.codes : isTooFaint ? '' : faint;
	const inSixteen = (codes: string) => (codes === faint ? faintInSixteen : '');
	const inMore = (codes: string, color: string | undefined, more: Exclude<ColorDepth, 16>) =>
		codes === faint && foreground && color && contrast(channelsOf(color), background) > contrast(foreground, background)
			? softCodes(foreground, background, more)
			: color
				? colorCodes(color, more)
				: '';
	const {moreSeries = [], unreadable, ...inks} = scheme;
	const readable = Object.entries(inks).map(([ink, codes]): [string, string] => {
		const color = colors?.[ink as Ink];
		return [ink, !isPoor(codes) ? codes : depth === 16 ? inSixteen(codes) : inMore(codes, color, depth)];
	});
	return {
		...scheme,
		...Object.fromEntries(readable),
		moreSeries: moreSeries.filter(codes => !isPoor(codes)),
		unreadable: below(leastOfOthers),
	};
}

/** Returns the SGR parameters of text that is softer than ordinary text, if one can be read; '' otherwise. */
function softCodes(foreground: Rgb, background: Rgb, depth: Exclude<ColorDepth, 16>): string {
	const soft = softParts
		.map(part => hexOf(mix(foreground, background, part)))
		.find(color => contrast(drawn(color, depth), background) >= leastContrast);
	return soft === undefined ? '' : colorCodes(soft, depth);
}

/** Returns a colour as a terminal of that depth draws it. */
function drawn(color: string, depth: Exclude<ColorDepth, 16>): Rgb {
	return depth === 256 ? paletteColor(nearestOf256(color)) : channelsOf(color);
}

/** Returns a colour that is a part of one and for the rest another. */
function mix([red, green, blue]: Rgb, [otherRed, otherGreen, otherBlue]: Rgb, part: number): Rgb {
	const channel = (one: number, other: number) => Math.round(one * part + other * (1 - part));
	return [channel(red, otherRed), channel(green, otherGreen), channel(blue, otherBlue)];
}

function hexOf(color: Rgb): string {
	return `#${color.map(channel => channel.toString(16).padStart(2, '0')).join('')}`;
}

function hasGrey({background, own}: Pick<TerminalColors, 'background' | 'own'>): boolean {
	const color = own.get(grey.index);
	const found = color && contrast(color, background);
	return found !== undefined && found >= leastContrast && found <= grey.mostContrast;
}

/** Returns which of the 16 colours an SGR parameter selects; undefined for anything else. */
function ownColorOf(codes: string): number | undefined {
	const [, kind, digit] = /^([39])([0-7])$/.exec(codes) ?? [];
	return kind === undefined ? undefined : Number(digit) + (kind === '9' ? 8 : 0);
}

/** Returns a channel of sRGB, 0 to 255, in linear RGB, 0 to 1. */
export function linear(channel: number): number {
	const part = channel / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Returns the relative luminance of a colour. Source: WCAG 2.2. */
function luminance([red, green, blue]: Rgb): number {
	return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Returns the contrast ratio of two colours, 1 to 21. Source: WCAG 2.2. */
export function contrast(one: Rgb, other: Rgb): number {
	const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (high + 0.05) / (low + 0.05);
}
