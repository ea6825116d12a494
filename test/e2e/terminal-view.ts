import xterm from '@xterm/headless';
import {onTestFinished} from 'vitest';

/** What the keys send, as xterm has it (ctlseqs, "PC-Style Function Keys"). */
const keys = {
	enter: '\r',
	escape: '\u001b',
	tab: '\t',
	backspace: '\u007f',
	up: '\u001b[A',
	down: '\u001b[B',
	left: '\u001b[D',
	right: '\u001b[C',
	home: '\u001b[H',
	end: '\u001b[F',
	'alt+enter': '\u001b\r',
	'ctrl+c': '\u0003',
	'ctrl+d': '\u0004',
	'ctrl+j': '\n',
	'ctrl+l': '\u000c',
	'ctrl+u': '\u0015',
	'ctrl+z': '\u001a',
} as const;

export type Key = keyof typeof keys;

type Wanted = string | RegExp | (() => boolean);

export type TerminalEnd = {readonly status: number; readonly signal: number};

export type TerminalView = {
	readonly type: (text: string) => void;
	readonly press: (...pressed: readonly Key[]) => void;
	/** Pastes as a terminal does that was asked for brackets. */
	readonly paste: (text: string) => void;
	readonly resize: (columns: number, rows: number) => void;
	/** The lines of the window, without the blanks at their ends. */
	readonly screen: () => readonly string[];
	/** The lines above the window. */
	readonly scrollback: () => readonly string[];
	/** Scrollback and window as one text. */
	readonly text: () => string;
	/** The last line that is not empty: the status, while the app runs. */
	readonly status: () => string;
	/** How many lines were longer than the window, so that the terminal had to wrap them. */
	readonly wrapped: () => number;
	/** Returns the place of the cursor in the window, from 0. */
	readonly cursor: () => {readonly column: number; readonly row: number};
	/** Returns the character under the cursor. */
	readonly character: () => string;
	readonly modes: () => xterm.Terminal['modes'];
	/** The terminal emulator, for its cells with their colors. */
	readonly emulator: xterm.Terminal;
	/** Everything that was written, byte by byte. */
	readonly output: () => string;
	/** Waits until a whole frame shows the text or matches, or the condition holds. Fails with the screen as it is then. */
	readonly waitFor: (wanted: Wanted, milliseconds?: number) => Promise<void>;
	readonly exit: () => Promise<TerminalEnd>;
};

/** The program behind a terminal. */
export type TerminalProgram = {
	readonly onData: (listener: (data: string) => void) => void;
	readonly onExit: (listener: (end: TerminalEnd) => void) => void;
	readonly write: (data: string) => void;
	readonly resize: (columns: number, rows: number) => void;
	/** Ends it at the end of a test, if it runs. */
	readonly end: () => void;
};

/** How often conditions are looked at that may not be of the screen, in milliseconds. */
const interval = 20;

/** Connects a program to a terminal that xterm emulates. It is ended when the test ends. */
export function viewTerminal(
	program: TerminalProgram,
	options: xterm.ITerminalInitOnlyOptions & xterm.ITerminalOptions,
): TerminalView {
	const terminal = new xterm.Terminal({...options, scrollback: 10_000, allowProposedApi: true});
	let output = '';
	let parsing = 0;
	/** How often the terminal has changed. */
	let changes = 0;
	let ended: TerminalEnd | undefined;
	const listeners = new Set<() => void>();
	const tell = () => {
		for (const listener of listeners) {
			listener();
		}
	};

	program.onData(data => {
		output += data;
		parsing++;
		terminal.write(data, () => {
			parsing--;
			changes++;
			tell();
		});
	});
	// Answers to what the program asks the terminal, in xterm's own words.
	terminal.onData(data => program.write(data));
	const exited = new Promise<TerminalEnd>(resolve => {
		program.onExit(end => {
			ended = end;
			resolve(end);
			tell();
		});
	});
	onTestFinished(async () => {
		if (!ended) {
			program.end();
		}

		await exited;
		terminal.dispose();
	});

	const lines = (from: number, to: number) =>
		Array.from(
			{length: to - from},
			(_, index) => terminal.buffer.active.getLine(from + index)?.translateToString(true) ?? '',
		);
	const screen = () => lines(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows);
	const scrollback = () => lines(0, terminal.buffer.active.baseY);
	let read = {at: -1, text: ''};
	const text = () => {
		if (read.at !== changes) {
			read = {at: changes, text: lines(0, terminal.buffer.active.baseY + terminal.rows).join('\n')};
		}

		return read.text;
	};

	/** Half a frame is nothing to look at: the program draws each one in one synchronized update. */
	const isWhole = () => parsing === 0 && !terminal.modes.synchronizedOutputMode;

	const holds = (wanted: Wanted) => {
		if (typeof wanted === 'function') {
			return wanted();
		}

		return typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());
	};

	return {
		type: typed => program.write(typed),
		press: (...pressed) => program.write(pressed.map(key => keys[key]).join('')),
		paste: pasted => program.write(`\u001b[200~${pasted.replaceAll('\n', '\r')}\u001b[201~`),
		resize(newColumns, newRows) {
			terminal.resize(newColumns, newRows);
			changes++;
			program.resize(newColumns, newRows);
		},
		screen,
		scrollback,
		text,
		status: () => screen().findLast(Boolean) ?? '',
		wrapped: () =>
			Array.from(
				{length: terminal.buffer.active.length},
				(_, index) => terminal.buffer.active.getLine(index)?.isWrapped,
			).filter(Boolean).length,
		cursor: () => ({column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY}),
		character: () => {
			const {active} = terminal.buffer;
			return (
				active
					.getLine(active.baseY + active.cursorY)
					?.getCell(active.cursorX)
					?.getChars() ?? ''
			);
		},
		modes: () => terminal.modes,
		emulator: terminal,
		output: () => output,
		waitFor(wanted, milliseconds = 300_000) {
			return new Promise((resolve, reject) => {
				const finish = (error?: Error) => {
					clearInterval(poll);
					clearTimeout(deadline);
					listeners.delete(look);
					return error ? reject(error) : resolve();
				};
				let seen = -1;
				const look = () => {
					// A text can only appear with a change, but a condition may be about anything.
					const isNew = typeof wanted === 'function' || seen !== changes;
					if (isNew && isWhole() && holds(wanted)) {
						return finish();
					}

					seen = isWhole() ? changes : seen;
					if (ended && parsing === 0) {
						finish(new Error(`It ended (${ended.status}) before ${wanted} held:\n${text()}`));
					}
				};
				const poll = setInterval(look, interval);
				const deadline = setTimeout(() => finish(new Error(`Waited in vain for ${wanted}:\n${text()}`)), milliseconds);
				listeners.add(look);
				look();
			});
		},
		async exit() {
			const end = await exited;
			// What it wrote last may still be on its way through the parser.
			await new Promise<void>(resolve => terminal.write('', resolve));
			return end;
		},
	};
}
