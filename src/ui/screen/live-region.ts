/** A place in the live region, from its top left. */
export type Caret = {readonly row: number; readonly column: number};

/** What is drawn at the lower end of all that is written, and drawn again when it changes. */
export type Frame = {
	/** Finished ANSI lines, none wider than the window. */
	readonly rows: readonly string[];
	/** Where the terminal's cursor is to stand; hidden where this is undefined. */
	readonly caret: Caret | undefined;
};

/** What the terminal shows: a frame, the row of it in which the cursor is, and whether that is seen. */
export type Drawn = Frame & {readonly at: number; readonly isCursorShown: boolean};

/** Nothing is drawn, and the cursor is where that is to begin. */
export const nothingDrawn: Drawn = {rows: [], caret: undefined, at: 0, isCursorShown: true};

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';

/** Writes rows that stand one below the other, wherever in the window the first of them is. */
function createPen(at: number) {
	let row = at;
	let out = '';
	return {
		goTo(next: number) {
			out += next < row ? `\u001B[${row - next}A` : next > row ? `\u001B[${next - row}B` : '';
			row = next;
		},
		/** Writes what goes down by so many rows. */
		write(data: string, down = 0) {
			out += data;
			row += down;
		},
		row: () => row,
		out: () => out,
	};
}

/**
 * Turns what the terminal shows into the next frame below `printed`, lines that stay where they are written. Returns what
 * is to be written for that, and what the terminal shows then. Rows that stay the same are not written: lines are put in
 * above them. Only relative movements are used, so that what stands above the region is never touched.
 */
export function redraw(
	before: Drawn,
	printed: readonly string[],
	next: Frame,
	height: number,
): {readonly data: string; readonly drawn: Drawn} {
	const frame = fitted(next, height);
	const old = before.rows;
	const rows = [...printed, ...frame.rows];
	const same = commonStart(old, rows);
	const pen = createPen(before.at);
	if (old.length === 0 || rows.length > height) {
		writeFrom(pen, old, rows, same);
	} else {
		const tail = commonEnd(old, rows, same);
		writeChanges(pen, old, rows, tail);
	}

	const isChanged = pen.out() !== '';
	const caret = frame.caret && {row: printed.length + frame.caret.row, column: frame.caret.column};
	const isPlaced = !isChanged && caret?.row === before.at && caret.column === before.caret?.column;
	if (caret && !isPlaced) {
		pen.goTo(caret.row);
		pen.write(`\u001B[${caret.column + 1}G`);
	}

	const hide = before.isCursorShown && (isChanged || !caret) ? hideCursor : '';
	const show = caret && (hide || !before.isCursorShown) ? showCursor : '';
	return {
		data: hide + pen.out() + show,
		drawn: {...frame, at: pen.row() - printed.length, isCursorShown: caret !== undefined},
	};
}

/** The last rows of a frame that is taller than the window; a blank one for none, where the cursor is. */
function fitted(frame: Frame, height: number): Frame {
	if (frame.rows.length === 0) {
		return {...frame, rows: ['']};
	}

	const above = frame.rows.length - height;
	const {caret} = frame;
	return above <= 0
		? frame
		: {
				rows: frame.rows.slice(above),
				caret: caret && caret.row >= above ? {...caret, row: caret.row - above} : undefined,
			};
}

function commonStart(old: readonly string[], rows: readonly string[]): number {
	const most = Math.min(old.length, rows.length);
	let same = 0;
	while (same < most && old[same] === rows[same]) {
		same++;
	}

	return same;
}

function commonEnd(old: readonly string[], rows: readonly string[], start: number): number {
	const most = Math.min(old.length, rows.length) - start;
	let same = 0;
	while (same < most && old[old.length - 1 - same] === rows[rows.length - 1 - same]) {
		same++;
	}

	return same;
}

type Pen = ReturnType<typeof createPen>;

/** Writes all rows behind those that stay, however many they are. */
function writeFrom(pen: Pen, old: readonly string[], rows: readonly string[], same: number): void {
	const below = rows.slice(same);
	if (same > 0 && same === old.length) {
		pen.goTo(same - 1);
		pen.write(below.length > 0 ? '\r\n' : '', below.length > 0 ? 1 : 0);
	} else {
		pen.goTo(same);
	}

	pen.write(`\r\u001B[J${below.join('\r\n')}`, Math.max(0, below.length - 1));
}

/** Writes the rows that differ, and puts in or takes out as many as there are more or fewer, above the last `tail`. */
function writeChanges(pen: Pen, old: readonly string[], rows: readonly string[], tail: number): void {
	const more = rows.length - old.length;
	if (more > 0) {
		// Only newlines get to a row below the window; what is above goes to the scrollback.
		pen.goTo(old.length - 1);
		pen.write('\n'.repeat(more), more);
		if (tail > 0) {
			pen.goTo(old.length - tail);
			pen.write(`\u001B[${more}L`);
		}
	} else if (more < 0) {
		pen.goTo(rows.length - tail);
		pen.write(tail > 0 ? `\u001B[${-more}M` : '\r\u001B[J');
	}

	const known = Math.min(old.length, rows.length) - tail;
	for (let index = 0; index < rows.length - tail; index++) {
		const row = rows[index] ?? '';
		const shown = index < known ? (old[index] ?? '') : '';
		if (row !== shown) {
			pen.goTo(index);
			// Erased first: behind a row as wide as the window that would take its last character in some terminals.
			pen.write(shown ? `\r\u001B[2K${row}` : `\r${row}`);
		}
	}
}
