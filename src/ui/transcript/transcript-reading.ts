import {type Heights, isBelow, lastPosition, moveBy, type Position, reveal} from './transcript-position.ts';

type Dependencies = {
	/** The blocks as they are now; more may come while they are read. */
	readonly heights: () => Heights;
	/** Rows of the window for them. */
	readonly rows: () => number;
	/** The block that one begins at; the end, which is followed, without it. */
	readonly begin?: number | undefined;
};

/** Where one reads in a transcript that grows: at its end, which is followed, or in a place that nothing new moves. */
export type TranscriptReading = {
	/** The first line on the screen, and the index of the chosen block, as far as they are still there. */
	readonly place: () => {readonly top: Position; readonly chosen: number};
	readonly isFollowing: () => boolean;
	/** Chooses a block and shows it; an index beyond an end is that end. */
	readonly choose: (index: number) => void;
	/** Moves by lines, down or up, and chooses the block at the top. */
	readonly scroll: (lines: number) => void;
};

export function createTranscriptReading({heights, rows, begin}: Dependencies): TranscriptReading {
	/** Undefined while the end is followed. */
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
