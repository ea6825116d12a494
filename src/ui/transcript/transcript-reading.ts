import {type Heights, isBelow, lastPosition, moveBy, type Position, reveal} from './transcript-position.ts';

type Dependencies = {
	/** The current blocks; more may arrive. */
	readonly heights: () => Heights;
	/** Rows of the window for the blocks. */
	readonly rows: () => number;
	/** The block to start at. By default the end is followed. */
	readonly begin?: number | undefined;
};

/** The reading position in a growing transcript: it follows the end, or stays where it is. */
export type TranscriptReading = {
	/** Returns the first line on the screen and the index of the chosen block. */
	readonly place: () => {readonly top: Position; readonly chosen: number};
	readonly isFollowing: () => boolean;
	/** Chooses a block and shows it. The index is limited to the blocks there are. */
	readonly choose: (index: number) => void;
	/** Scrolls by lines, down or up, and chooses the block at the top. */
	readonly scroll: (lines: number) => void;
};

export function createTranscriptReading({heights, rows, begin}: Dependencies): TranscriptReading {
	/** Undefined while it follows the end. */
	let place = begin === undefined ? undefined : {top: {block: begin, line: 0}, chosen: begin};

	const placeIn = (all: Heights) => {
		const end = lastPosition(rows(), all);
		const last = all.count - 1;
		return place
			? {top: isBelow(place.top, end) ? end : place.top, chosen: Math.min(place.chosen, last)}
			: {top: end, chosen: last};
	};

	return {
		place: () => placeIn(heights()),
		isFollowing: () => place === undefined,
		choose(index) {
			const all = heights();
			const chosen = Math.max(0, Math.min(index, all.count - 1));
			place = chosen >= all.count - 1 ? undefined : {top: reveal(placeIn(all).top, chosen, rows(), all), chosen};
		},
		scroll(lines) {
			const all = heights();
			const top = moveBy(placeIn(all).top, lines, all);
			place = isBelow(lastPosition(rows(), all), top) ? {top, chosen: top.block} : undefined;
		},
	};
}
