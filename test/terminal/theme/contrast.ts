import {channelsOf} from '../../../src/terminal/theme/color-depth.ts';

type Rgb = readonly [number, number, number];

const linear = (channel: number) => {
	const part = channel / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};

/** Returns the relative luminance of a colour. Source: WCAG 2.2. */
function luminance([red, green, blue]: Rgb): number {
	return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Returns the contrast ratio of two colours, 1 to 21. Source: WCAG 2.2. */
export function contrast(one: Rgb, other: Rgb): number {
	const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (high + 0.05) / (low + 0.05);
}

/** Linear RGB as seen without the cones of long or medium waves. Source: Viénot, Brettel and Mollon, 1999. */
const deficiencies = {
	protanopia: [
		[0.11238, 0.88762, 0],
		[0.11238, 0.88762, 0],
		[0.00401, -0.00401, 1],
	],
	deuteranopia: [
		[0.29275, 0.70725, 0],
		[0.29275, 0.70725, 0],
		[-0.02234, 0.02234, 1],
	],
};

/** Returns how far apart two colours look to someone with a deficiency: 0 for the same, in linear RGB. */
export function apart(one: string, other: string, kind: keyof typeof deficiencies): number {
	const seen = (color: string) => {
		const channels = channelsOf(color).map(linear);
		return deficiencies[kind].map(row => row.reduce((sum, weight, place) => sum + weight * (channels[place] ?? 0), 0));
	};
	const others = seen(other);
	return Math.hypot(...seen(one).map((channel, place) => channel - (others[place] ?? 0)));
}
