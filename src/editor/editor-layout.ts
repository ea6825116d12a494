import {columnOf, drawnPart, drawRow, rowIndexOf, rowsAround} from './editor-rows.ts';
import type {ComposerState} from './editor-state.ts';
import {selectionOf} from './selection.ts';

export type ComposerLayout = {
	/** Safe text, at least one row; none wider than the given columns. */
	readonly rows: readonly string[];
	/** The cursor position, counted from the first of `rows` and its first cell. */
	readonly caret: {readonly row: number; readonly column: number};
	/** The selected part of each row, in UTF-16 units; undefined without a selection. */
	readonly selected?: ReadonlyArray<{readonly from: number; readonly to: number}>;
	/** How many rows of the prompt are above and below these. */
	readonly hiddenAbove: number;
	readonly hiddenBelow: number;
};

/** Wraps the prompt into rows of `columns` cells and returns at most `maxRows` of them around the caret. */
export function layoutComposer(state: ComposerState, columns: number, maxRows: number): ComposerLayout {
	const width = Math.max(1, Math.floor(columns));
	const height = Math.max(1, Math.floor(maxRows));
	const {source, rows: wrapped, start, countAbove, countAll} = rowsAround(state, width, height);
	const above = countAbove();
	const caret = state.caret - start;
	const inner = rowIndexOf(wrapped, caret);
	const column = columnOf(source, wrapped, inner, caret, width);
	const row = above + inner;

	// After a full row the cursor is at the beginning of the next, which exists for the cursor only.
	const overflows = column >= width;
	const caretRow = overflows ? row + 1 : row;
	const total = countAll() + (overflows ? 1 : 0);
	const first = Math.max(0, Math.min(caretRow - Math.floor(height / 2), total - height));
	const last = Math.min(total, first + height);

	const whole = selectionOf(state);
	const selection = whole && {start: whole.start - start, end: whole.end - start};
	const selected: Array<{readonly from: number; readonly to: number}> = [];
	const rows: string[] = [];
	for (let index = first; index < last; index++) {
		const isExtra = overflows && index === caretRow;
		const place = (overflows && index > caretRow ? index - 1 : index) - above;
		rows.push(isExtra ? '' : drawRow(source, wrapped, place, width));
		if (selection) {
			selected.push(isExtra ? {from: 0, to: 0} : drawnPart(source, wrapped, place, width, selection));
		}
	}

	return {
		rows,
		...(selection && {selected}),
		caret: {row: caretRow - first, column: overflows ? 0 : column},
		hiddenAbove: first,
		hiddenBelow: total - last,
	};
}
