import {Writable} from 'node:stream';
import xterm from '@xterm/headless';

/** How many turns of the event loop a key may take until it is drawn, with some to spare. */
const turns = 10;

/** Creates a terminal emulator behind a stream like Node's; `written` is everything that was written to it. */
export function createEmulator(columns: number, rows: number) {
	const terminal = new xterm.Terminal({
		cols: columns,
		rows,
		convertEol: true,
		scrollback: 20_000,
		allowProposedApi: true,
	});
	const written: string[] = [];
	const stream = new Writable({
		decodeStrings: false,
		write(data: string, _encoding, done) {
			written.push(data);
			terminal.write(data);
			done();
		},
	});
	const stdout = Object.assign(stream, {columns, rows, isTTY: true});

	const everything = () => {
		const {active} = terminal.buffer;
		return Array.from({length: active.length}, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
	};

	return {
		stdout,
		written,
		resize(newColumns: number, newRows: number) {
			terminal.resize(newColumns, newRows);
			Object.assign(stdout, {columns: newColumns, rows: newRows});
			stream.emit('resize');
		},
		/**
		 * Waits until Ink has drawn what it was told: its throttle is a millisecond, a key takes a few turns of the event
		 * loop. Turns are counted as well, because on a busy machine the time alone may be over before the first one.
		 */
		settle: async (milliseconds = 15) => {
			for (let turn = 0; turn < turns; turn++) {
				await new Promise(resolve => setTimeout(resolve, milliseconds / turns));
				await new Promise(resolve => setImmediate(resolve));
			}

			await new Promise<void>(resolve => terminal.write('', resolve));
		},
		/** The emulator, for its cells with their styles. */
		terminal,
		/** Every line down to the last one that is not empty, those that scrolled away first. */
		lines: () => {
			const lines = everything();
			return lines.slice(0, lines.findLastIndex(line => line !== '') + 1);
		},
		/** The lines in the window alone. */
		window: () => everything().slice(terminal.buffer.active.baseY),
		/** Where the cursor is, from the first of all lines on; undefined while it is hidden. */
		cursor: () => {
			const shown =
				written
					.join('')
					.match(/\u001B\[\?25[hl]/g)
					?.at(-1) === '\u001B[?25h';
			const {baseY, cursorY, cursorX} = terminal.buffer.active;
			return shown ? {row: baseY + cursorY, column: cursorX} : undefined;
		},
		dispose: () => terminal.dispose(),
	};
}
