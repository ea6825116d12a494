/** The first line on the screen: its block, and its line in that block, from 0. */
export type Position = {readonly block: number; readonly line: number};

/** The number of blocks, and the lines of each, drawn on demand. */
export type Heights = {readonly count: number; readonly of: (block: number) => number};

/** Moves a position by lines, down or up, and stops at both ends. Only the blocks on the way are drawn. */
export function moveBy({block, line}: Position, lines: number, {count, of}: Heights): Position {
	let left = lines;
	let at = {block, line};
	while (left > 0) {
		const rest = of(at.block) - 1 - at.line;
		if (left <= rest || at.block === count - 1) {
			return {block: at.block, line: at.line + Math.min(left, Math.max(0, rest))};
		}

		left -= rest + 1;
		at = {block: at.block + 1, line: 0};
	}

	while (left < 0) {
		if (-left <= at.line || at.block === 0) {
			return {block: at.block, line: Math.max(0, at.line + left)};
		}

		left += at.line + 1;
		at = {block: at.block - 1, line: of(at.block - 1) - 1};
	}

	return at;
}

/** Returns the last position that fills the window; the first one if everything fits. */
export function lastPosition(rows: number, heights: Heights): Position {
	const last = heights.count - 1;
	return last < 0 ? {block: 0, line: 0} : moveBy({block: last, line: heights.of(last) - 1}, 1 - rows, heights);
}

/** Returns true if `left` is further down than `right`. */
export function isBelow(left: Position, right: Position): boolean {
	return left.block > right.block || (left.block === right.block && left.line > right.line);
}

/** Returns the position that shows a block: unchanged if it is visible already, else its beginning. */
export function reveal(top: Position, block: number, rows: number, heights: Heights): Position {
	if (block < top.block || (block === top.block && top.line > 0)) {
		return {block, line: 0};
	}

	const bottom = moveBy(top, rows - 1, heights);
	const end = {block, line: heights.of(block) - 1};
	if (!isBelow(end, bottom)) {
		return top;
	}

	const fits = heights.of(block) <= rows;
	return fits ? moveBy(end, 1 - rows, heights) : {block, line: 0};
}
