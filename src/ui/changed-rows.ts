/** What stands on the screen where Ink draws: its rows, and how Ink left the cursor, as it wrote that. */
type Frame = {
	readonly rows: readonly string[];
	/** How many rows the cursor stands above the row below the last one. */
	readonly up: number;
	/** Takes it from that row to where it is to be, and shows it; '' where it is hidden. */
	readonly cursor: string;
};

export type ChangedRows = {
	/** Gives what leaves for the terminal instead of what Ink wrote in one turn, which looks the same there. */
	readonly shorten: (writes: readonly string[]) => string;
	/** Something else was written, or the terminal shows something else: the next frame is sent whole. */
	readonly forget: () => void;
};

/**
 * A frame as Ink 6 writes it (log-update.js): back to its lower edge, its rows erased from there on up, all of them
 * written again, the cursor put to its place. Behind lines for the scrollback nothing is left to be erased.
 */
const frameParts =
	/^(?:\u001B\[\?25l(?:\u001B\[\d+B)?\u001B\[1G)?((?:\u001B\[2K\u001B\[1A)*\u001B\[2K\u001B\[G)?([\s\S]*\n)((?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h)?$/;
/** The cursor alone is moved. */
const cursorParts = /^(?:\u001B\[\?25l)?(?:\u001B\[\d+B)?\u001B\[1G((?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h)?$/;
/** Whatever moves the cursor within rows, so that they are no rows: every control but a newline, and every CSI but SGR. */
const moving = /[\u0000-\u0009\u000B-\u001A]|\u001B\[[0-9;:]*[^0-9;:m]/;

const hide = '\u001B[?25l';

/**
 * Ink writes its whole part of the screen whenever a character of it changes, which is a thousand bytes and more, thirty
 * times a second while an answer comes. Here only the rows that changed are sent: a connection over SSH feels the
 * difference. What is not exactly a frame, such as lines that go to the scrollback, passes as it is.
 */
export function createChangedRows(): ChangedRows {
	let shown: Frame | undefined;

	return {
		forget() {
			shown = undefined;
		},
		shorten(writes) {
			const before = shown;
			let frame = before;
			let isWhole = before === undefined;
			for (const data of writes) {
				const next = nextFrame(data, frame);
				isWhole ||= next === undefined || next.erases !== (frame?.rows.length ?? 0) + 1;
				frame = next?.frame;
			}

			shown = frame;
			return before && frame && !isWhole ? changes(before, frame) : writes.join('');
		},
	};
}

/** The frame that a write leaves on the screen, undefined for a write that is none, and how many rows it erases. */
function nextFrame(
	data: string,
	before: Frame | undefined,
): {readonly frame: Frame; readonly erases: number} | undefined {
	const [, erasing = '', text, cursor = '', up = '0'] = frameParts.exec(data) ?? [];
	// Other lines end in a newline as well, but erase nothing and leave the cursor alone.
	if (text !== undefined && (erasing || cursor)) {
		const frame = {rows: text.split('\n').slice(0, -1), up: Number(up), cursor};
		return moving.test(text) ? undefined : {frame, erases: erasing.split('\u001B[2K').length - 1};
	}

	const [whole, moved = '', by = '0'] = cursorParts.exec(data) ?? [];
	return whole === undefined || !before
		? undefined
		: {frame: {...before, up: Number(by), cursor: moved}, erases: before.rows.length + 1};
}

/** Makes one frame of the other. It begins and ends with the cursor where Ink believes it to be. */
function changes(before: Frame, after: Frame): string {
	const height = before.rows.length;
	const isSame = after.rows.length === height && after.rows.every((row, index) => row === before.rows[index]);
	if (isSame && after.cursor === before.cursor) {
		return '';
	}

	let out = before.cursor ? hide : '';
	let at = height - before.up;
	const goTo = (row: number) => {
		out += row < at ? `\u001B[${at - row}A` : row > at ? `\u001B[${row - at}B` : '';
		at = row;
	};

	for (const [index, row] of after.rows.entries()) {
		if (index >= height || row !== before.rows[index]) {
			goTo(index);
			// Erased first: behind a row as wide as the window that would take its last character in some terminals.
			out += `\r\u001B[2K${row}`;
			// What is below the frame may be below the window: only a newline gets there.
			out += index >= height ? '\r\n' : '';
			at += index >= height ? 1 : 0;
		}
	}

	for (let index = after.rows.length; index < height; index++) {
		goTo(index);
		out += '\r\u001B[2K';
	}

	goTo(after.rows.length);
	return `${out}\r${after.cursor}`;
}
