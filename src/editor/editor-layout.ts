import {columnOf, drawRow, rowIndexOf, rowsOf} from './editor-rows.ts';
import type {ComposerState} from './editor-state.ts';

export type ComposerLayout = {
	/** Text that may be drawn as it is, at least one row; none wider than the columns asked for. */
	readonly rows: readonly string[];
	/** Where the cursor goes, counted from the first of `rows` and its first cell. */
	readonly caret: {readonly row: number; readonly column: number};
	/** How many rows of the prompt there are above and below these. */
	readonly hiddenAbove: number;
	readonly hiddenBelow: number;
};

/** Wraps the prompt into rows of `columns` cells and gives the at most `maxRows` of them around the caret. */
export function layoutComposer(state: ComposerState, columns: number, maxRows: number): ComposerLayout {
	const width = Math.max(1, Math.floor(columns));
	const height = Math.max(1, Math.floor(maxRows));
	const wrapped = rowsOf(state, width);
	const row = rowIndexOf(wrapped, state.caret);
	const column = columnOf(state, wrapped, row, state.caret, width);

	// Behind a full row the cursor stands at the beginning of the next, which is there for the cursor alone.
	const overflows = column >= width;
	const caretRow = overflows ? row + 1 : row;
	const total = wrapped.length + (overflows ? 1 : 0);
	const first = Math.max(0, Math.min(caretRow - Math.floor(height / 2), total - height));
	const last = Math.min(total, first + height);

	const rows: string[] = [];
	for (let index = first; index < last; index++) {
		const isExtra = overflows && index === caretRow;
		const source = overflows && index > caretRow ? index - 1 : index;
		rows.push(isExtra ? '' : drawRow(state, wrapped, source, width));
	}

	return {
		rows,
		caret: {row: caretRow - first, column: overflows ? 0 : column},
		hiddenAbove: first,
		hiddenBelow: total - last,
	};
}
