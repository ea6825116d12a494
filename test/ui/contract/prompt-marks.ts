import type xterm from '@xterm/headless';

type Cell = {readonly isCell?: true};
/** A row of a buffer, by what the emulator calls it inside. */
type Line = {
	isWrapped: boolean;
	readonly length: number;
	readonly resize: (columns: number, fill: Cell) => void;
	readonly fill: (cell: Cell) => void;
	readonly setCellFromCodepoint: (at: number, codePoint: number, width: number, cell: Cell) => void;
};
export type MarkedBuffer = {
	readonly lines: {
		readonly length: number;
		readonly get: (at: number) => Line | undefined;
		readonly pop: () => unknown;
	};
	readonly getNullCell: () => Cell;
	ybase: number;
	ydisp: number;
	readonly y: number;
};

/**
 * Lets the emulator do with the marks of prompts (OSC 133) what kitty does, and pull rows of the scrollback down (`CSI + T`).
 * `blank` is called before the window is resized: it blanks the rows from the last mark above the cursor down, and returns
 * true if there is one. `rows` returns those with a mark, from the first one of the scrollback.
 */
export function followMarks(terminal: xterm.Terminal, buffer: MarkedBuffer) {
	const marked = new WeakSet<Line>();
	const lineAt = (row: number) => buffer.lines.get(buffer.ybase + row);
	terminal.parser.registerOscHandler(133, data => {
		const line = lineAt(buffer.y);
		if (line && data.startsWith('A')) {
			marked.add(line);
		}

		return true;
	});
	terminal.parser.registerCsiHandler({intermediates: '+', final: 'T'}, ([wanted]) => {
		const count = Math.min(Number(wanted) || 1, buffer.ybase);
		for (let index = 0; index < count; index++) {
			buffer.lines.pop();
		}

		buffer.ybase -= count;
		buffer.ydisp = buffer.ybase;
		return true;
	});
	const isMarkedAt = (at: number) => {
		const line = buffer.lines.get(at);
		return line !== undefined && marked.has(line);
	};
	const blank = () => {
		let from = buffer.y;
		while (from >= 0 && !isMarkedAt(buffer.ybase + from)) {
			from--;
		}

		for (let row = from; from >= 0 && row < terminal.rows; row++) {
			const line = lineAt(row);
			if (line) {
				line.isWrapped = false;
				line.fill(buffer.getNullCell());
			}

			// A blank up to the cursor keeps the row.
			if (row <= buffer.y) {
				line?.setCellFromCodepoint(0, 0x20, 1, buffer.getNullCell());
			}
		}

		return from >= 0;
	};
	const rows = () => Array.from({length: buffer.lines.length}, (_, at) => at).filter(isMarkedAt);
	return {blank, rows};
}
