/**
 * Begins the first row of a frame in kitty: the mark of a prompt (OSC 133 A). When kitty is resized, it blanks the rows from
 * the mark down instead of wrapping them. So none of them goes to the scrollback, and the cursor stays as many rows below the
 * mark as it was, also for a frame on its way that was drawn for the old size. The mark belongs to the row, whatever is
 * written or erased there, and moves with it: only deleting the row deletes the mark.
 */
const mark = '\u001B]133;A\u001B\\';

/** Deletes the cursor's row with its mark, and inserts a blank one. */
export const replaceMarked = '\r\u001B[M\u001B[L';
/** Deletes all rows from the cursor's down, with their marks. */
export const deleteDown = '\r\u001B[999M';

export const isMarked = (row: string | undefined) => row?.startsWith(mark) ?? false;

export function unmarked(row: string): string {
	return isMarked(row) ? row.slice(mark.length) : row;
}

export const marked = (row: string) => mark + row;

/** Returns the rows of a frame with the mark before the first one. */
export function withMark([first = '', ...others]: readonly string[]): readonly string[] {
	return [marked(first), ...others];
}

/** Returns the rows as a resized kitty shows them: from the last mark above the cursor down they are blank. */
export function blanked({rows, at}: {readonly rows: readonly string[]; readonly at: number}): readonly string[] {
	const from = rows.findLastIndex((row, index) => index <= at && isMarked(row));
	return from === -1 ? rows : rows.map((row, index) => (index < from ? unmarked(row) : ' '));
}

/** Pulls that many rows of the scrollback down into the window of kitty (SD with an intermediate `+`). */
export const pullDown = (rows: number) => (rows > 0 ? `\u001B[${rows}+T` : '');
