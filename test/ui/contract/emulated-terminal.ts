import {EventEmitter} from 'node:events';
import xterm from '@xterm/headless';
import {onTestFinished} from 'vitest';
import type {TerminalKind} from './kinds.ts';
import {followMarks, type MarkedBuffer} from './prompt-marks.ts';

/** A window of a terminal that an app writes to. */
export type ContractTerminal = {
	readonly stdout: NodeJS.WriteStream;
	/** Everything that was written, a frame each. */
	readonly written: readonly string[];
	/** Resolves when everything that was written is on the screen. */
	readonly parsed: () => Promise<void>;
	/** Resizes the window, and tells the app once `before` has run: what that lets the app draw is for the old size. */
	readonly resize: (columns: number, rows: number, before?: () => Promise<void>) => Promise<void>;
	/** True if only the ASCII characters of its rows are known. */
	readonly isLossy: boolean;
	/** Calls the listener with what the terminal answers. */
	readonly onReply: (listener: (data: string) => void) => void;
	/** True while the app waits for an answer of a program outside of the test. */
	readonly isAsked: () => boolean;
	/** Writes as another program that has the terminal. */
	readonly writeAsShell: (data: string) => void;
	/** The rows above the window. */
	readonly scrollback: () => readonly string[];
	/** The rows of the window, without blanks at their ends. */
	readonly window: () => readonly string[];
	readonly cursor: () => Promise<{readonly row: number; readonly column: number; readonly isShown: boolean}>;
};

/** What the emulator has no public name for: parsing at once, whether it wraps rows again, and erasing in a row. */
export type EmulatorInside = {
	readonly _core: {
		readonly writeSync: (data: string) => void;
		readonly buffers: {readonly normal: Buffer};
		readonly _inputHandler: {readonly eraseInLine: (parameters: {readonly params: readonly number[]}) => void};
	};
};

/** Rows of a window, from `ybase` on, below those of its scrollback, and the row of its cursor. */
type Buffer = MarkedBuffer & {x: number; y: number; savedY: number};

/** Moves rows of the scrollback down into a window that became higher, instead of the blank ones that were added below. */
function pullDown(buffer: Buffer, added: number): void {
	const pulled = Math.min(added, buffer.ybase);
	for (let index = 0; index < pulled; index++) {
		buffer.lines.pop();
	}

	buffer.ybase -= pulled;
	buffer.ydisp = buffer.ybase;
	buffer.y += pulled;
}

/** Cuts the rows of the window, as xterm does: those above stay as they are. */
function cutRows(buffer: Buffer, columns: number): void {
	const {lines, ybase} = buffer;
	for (let at = ybase; at < lines.length; at++) {
		const line = lines.get(at);
		if (line && line.length > columns) {
			line.resize(columns, buffer.getNullCell());
		}
	}
}

/** Returns what moves the cursor back to its place in the text once rows were wrapped, as VTE does. */
function keepCursorInText(terminal: xterm.Terminal, buffer: Buffer): () => void {
	let start = buffer.ybase + buffer.y;
	while (start > 0 && buffer.lines.get(start)?.isWrapped) {
		start--;
	}

	const marker = terminal.registerMarker(start - buffer.ybase - buffer.y);
	const offset = (buffer.ybase + buffer.y - start) * terminal.cols + Math.min(buffer.x, terminal.cols - 1);
	return () => {
		const row = (marker?.line ?? 0) + Math.floor(offset / terminal.cols) - buffer.ybase;
		buffer.y = Math.max(0, Math.min(row, terminal.rows - 1));
		buffer.x = offset % terminal.cols;
		marker?.dispose();
	};
}

/** Returns the last row that isn't blank. */
function lastRow(buffer: xterm.IBuffer): number {
	let row = buffer.length - 1;
	while (row > 0 && buffer.getLine(row)?.translateToString(true).trim() === '') {
		row--;
	}

	return row;
}

/**
 * Opens a window of a terminal that xterm emulates, with the answers and the reflow of the kind. `lateMs` returns how long
 * what is written then is on its way.
 */
export function openEmulated(
	kind: TerminalKind,
	columns: number,
	rows: number,
	lateMs: () => number = () => 0,
): ContractTerminal {
	const terminal = new xterm.Terminal({
		cols: Math.max(1, columns),
		rows: Math.max(1, rows),
		convertEol: true,
		scrollback: 20_000,
		allowProposedApi: true,
		windowOptions: {getWinSizeChars: true},
		// As ConPTY, it leaves the rows of the scrollback above when the window becomes higher, but wraps rows again.
		windowsPty: kind.pullsDown ? {} : {backend: 'conpty', buildNumber: 30_000},
	});
	onTestFinished(() => terminal.dispose());
	terminal.parser.registerCsiHandler({prefix: '>', final: 'c'}, () => {
		if (kind.version) {
			reply(`\u001b[>${kind.version}c`);
		}

		return true;
	});
	const inside = (terminal as unknown as EmulatorInside)._core;
	if (!kind.reflows) {
		Object.defineProperty(inside.buffers.normal, '_isReflowEnabled', {value: false});
	}

	const cursorLine = () => inside.buffers.normal.lines.get(inside.buffers.normal.ybase + inside.buffers.normal.y);
	for (const final of ['L', 'M']) {
		// As in VTE and tmux, the row before then continues in no other.
		terminal.parser.registerCsiHandler({final}, () => {
			Object.assign(cursorLine() ?? {}, {isWrapped: false});
			return false;
		});
	}

	if (kind.joinsRows) {
		terminal.parser.registerCsiHandler({final: 'K'}, ([mode]) => {
			const line = cursorLine();
			const isWrapped = line?.isWrapped ?? false;
			inside._inputHandler.eraseInLine({params: [Number(mode) || 0]});
			Object.assign(line ?? {}, {isWrapped});
			return true;
		});
	}

	const blankMarked = kind.blanksMarked ? followMarks(terminal, inside.buffers.normal).blank : () => false;
	let isShown = true;
	for (const [final, shown] of [
		['h', true],
		['l', false],
	] as const) {
		terminal.parser.registerCsiHandler({prefix: '?', final}, ([mode]) => {
			isShown = mode === 25 ? shown : isShown;
			return false;
		});
	}

	const listeners: ((data: string) => void)[] = [];
	const reply = (data: string) => {
		for (const listener of listeners) {
			listener(data);
		}
	};
	terminal.onData(reply);
	const written: string[] = [];
	// Parsed at once: the emulator's own queue would wait for the clock of the test.
	const parse = (data: string) => inside.writeSync(data);
	let arrivesAt = 0;
	const stdout = Object.assign(new EventEmitter(), {
		columns,
		rows,
		isTTY: true,
		write(data: string) {
			written.push(data);
			// In order, also behind what is still on its way.
			arrivesAt = Math.max(arrivesAt, Date.now() + lateMs());
			if (arrivesAt > Date.now()) {
				setTimeout(() => parse(data), arrivesAt - Date.now());
			} else {
				parse(data);
			}

			return true;
		},
	});

	const lines = (from: number, to: number) =>
		Array.from(
			{length: to - from},
			(_, at) => terminal.buffer.active.getLine(from + at)?.translateToString(true) ?? '',
		);
	return {
		stdout: stdout as unknown as NodeJS.WriteStream,
		written,
		isLossy: false,
		parsed: async () => undefined,
		async resize(newColumns, newRows, before = async () => undefined) {
			const {normal} = inside.buffers;
			const isBlanked = terminal.buffer.active.type === 'normal' && blankMarked();
			const {length} = normal.lines;
			const {y} = normal;
			const isSmaller = newRows < terminal.rows || newColumns < terminal.cols;
			const keepsBelow = kind.keepsBelow && isSmaller && !isBlanked;
			if (keepsBelow) {
				normal.y = Math.max(y, lastRow(terminal.buffer.normal) - normal.ybase);
			}

			terminal.resize(terminal.cols, Math.max(1, newRows));
			if (kind.pullsDown) {
				pullDown(normal, Math.max(0, normal.lines.length - length));
			}

			if (!kind.reflows) {
				cutRows(normal, Math.max(1, newColumns));
			}

			const toText =
				kind.joinsRows && terminal.buffer.active.type === 'normal'
					? keepCursorInText(terminal, normal)
					: () => undefined;
			terminal.resize(Math.max(1, newColumns), terminal.rows);
			toText();
			if (keepsBelow) {
				normal.y = Math.min(y, terminal.rows - 1);
			}

			await before();
			Object.assign(stdout, {columns: newColumns, rows: newRows});
			stdout.emit('resize');
		},
		onReply: listener => void listeners.push(listener),
		isAsked: () => false,
		writeAsShell: parse,
		scrollback: () => lines(0, terminal.buffer.active.baseY),
		window: () => lines(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows),
		cursor: async () => ({row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX, isShown}),
	};
}
