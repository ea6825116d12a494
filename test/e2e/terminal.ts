import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import {onTestFinished} from 'vitest';
import {environmentOf, folderWith, type Place, program} from './program.ts';

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

type Options = Place & {
	readonly columns?: number;
	readonly rows?: number;
	readonly args?: readonly string[];
	/** Runs this instead of Node with the program, for example a shell that starts it. `args` come last. */
	readonly shell?: {readonly file: string; readonly args: readonly string[]};
};

type Wanted = string | RegExp | (() => boolean);

export type TerminalEnd = {readonly status: number; readonly signal: number};

export type TestTerminal = {
	readonly pid: number;
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
	readonly kill: (signal?: NodeJS.Signals) => void;
	readonly exit: () => Promise<TerminalEnd>;
};

/** How often conditions are looked at that are not of the screen, in milliseconds. */
const interval = 20;

/** Kills a process. One that has just ended by itself is no fault. */
function killIfAlive(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) {
			throw error;
		}
	}
}

/** Runs the built program in a pseudo terminal that xterm reads. It is killed when the test ends. */
export function startTerminal(options: Options = {}): TestTerminal {
	const {columns = 80, rows = 24, args = [], shell} = options;
	const env = environmentOf(options);
	const terminal = new xterm.Terminal({cols: columns, rows, scrollback: 10_000, allowProposedApi: true});
	const child = pty.spawn(shell?.file ?? process.execPath, [...(shell?.args ?? [program]), ...args], {
		name: env['TERM'] ?? '',
		cols: columns,
		rows,
		cwd: options.folder ?? folderWith(),
		env,
	});

	let output = '';
	let parsing = 0;
	let ended: TerminalEnd | undefined;
	const listeners = new Set<() => void>();
	const tell = () => {
		for (const listener of listeners) {
			listener();
		}
	};

	child.onData(data => {
		output += data;
		parsing++;
		terminal.write(data, () => {
			parsing--;
			tell();
		});
	});
	// Answers to what the program asks the terminal, in xterm's own words.
	terminal.onData(data => child.write(data));
	const exited = new Promise<TerminalEnd>(resolve => {
		child.onExit(({exitCode, signal = 0}) => {
			ended = {status: exitCode, signal};
			resolve(ended);
			tell();
		});
	});
	onTestFinished(async () => {
		if (!ended) {
			killIfAlive(child.pid);
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
	const text = () => [...scrollback(), ...screen()].join('\n');

	/** Half a frame is nothing to look at: the program draws each one in one synchronized update. */
	const isWhole = () => parsing === 0 && !terminal.modes.synchronizedOutputMode;

	const holds = (wanted: Wanted) => {
		if (typeof wanted === 'function') {
			return wanted();
		}

		return typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());
	};

	return {
		pid: child.pid,
		type: typed => child.write(typed),
		press: (...pressed) => child.write(pressed.map(key => keys[key]).join('')),
		paste: pasted => child.write(`\u001b[200~${pasted.replaceAll('\n', '\r')}\u001b[201~`),
		resize(newColumns, newRows) {
			terminal.resize(newColumns, newRows);
			child.resize(newColumns, newRows);
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
		waitFor(wanted, milliseconds = 30_000) {
			return new Promise((resolve, reject) => {
				const finish = (error?: Error) => {
					clearInterval(poll);
					clearTimeout(deadline);
					listeners.delete(look);
					return error ? reject(error) : resolve();
				};
				const look = () => {
					if (isWhole() && holds(wanted)) {
						finish();
					} else if (ended && parsing === 0) {
						finish(new Error(`It ended (${ended.status}) before ${wanted} held:\n${text()}`));
					}
				};
				const poll = setInterval(look, interval);
				const deadline = setTimeout(() => finish(new Error(`Waited in vain for ${wanted}:\n${text()}`)), milliseconds);
				listeners.add(look);
				look();
			});
		},
		kill: (signal = 'SIGKILL') => process.kill(child.pid, signal),
		async exit() {
			const end = await exited;
			// What it wrote last may still be on its way through the parser.
			await new Promise<void>(resolve => terminal.write('', resolve));
			return end;
		},
	};
}
