import type {Rgb} from './color-depth.ts';

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
