import {channelsOf} from '../../../src/terminal/theme/color-depth.ts';
import {linear} from '../../../src/terminal/theme/readable-scheme.ts';

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
