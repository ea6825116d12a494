import xterm from '@xterm/headless';
import {createElement, type ReactNode} from 'react';
import {onTestFinished} from 'vitest';
import type {Entry} from '../../src/command/command.ts';
import {createAppStore} from '../../src/store/store.ts';
import type {Size} from '../../src/store/view-slice.ts';
import {createStandInStdin} from '../../src/terminal/stand-in-stdin.ts';
import {createPalette} from '../../src/terminal/style.ts';
import {UiContext} from '../../src/ui/context.ts';
import {render} from '../../src/ui/ink.ts';
import {createScreen} from '../../src/ui/screen.ts';
import {Scrollback} from '../../src/ui/scrollback.tsx';

type Options = Partial<Size> & {
	readonly entries?: readonly Entry[];
	readonly answer?: (value: string | undefined) => void;
	readonly color?: boolean;
};

/**
 * Draws with Ink's own renderer through our screen into a terminal emulator of that size: what is asserted is what a
 * person would see. Ended with its test.
 */
export function draw(node: ReactNode, options: Options = {}) {
	const {columns = 80, rows = 24, entries = [], answer = () => undefined, color = false} = options;
	const store = createAppStore();
	store.getState().setSize({columns, rows});
	const terminal = new xterm.Terminal({
		cols: columns,
		rows,
		convertEol: true,
		scrollback: 20_000,
		allowProposedApi: true,
	});
	const output = fakeOutput(columns, rows, data => terminal.write(data));
	const screen = createScreen(output);
	const {stream, feed} = createStandInStdin();
	let write: (data: string) => void = () => undefined;
	const onReady = (given: typeof write) => {
		write = given;
	};
	const ui = {store, palette: createPalette({color}), entries: () => entries, answer};
	const ink = render(createElement(UiContext, {value: ui}, createElement(Scrollback, {onReady}), node), {
		stdin: stream,
		stdout: screen.stdout,
		exitOnCtrlC: false,
		patchConsole: false,
		maxFps: 1000,
	});
	onTestFinished(() => {
		ink.unmount();
		terminal.dispose();
	});

	/** All lines of the emulator, those that scrolled away first. */
	const everything = () => {
		const {active} = terminal.buffer;
		return Array.from({length: active.length}, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
	};

	return {
		store,
		screen,
		feed,
		written: output.written,
		write: (data: string) => write(data),
		settle: () => settle(() => new Promise<void>(resolve => terminal.write('', resolve))),
		/** Every line down to the last one that is not empty. */
		lines: () => {
			const lines = everything();
			return lines.slice(0, lines.findLastIndex(line => line !== '') + 1);
		},
		/** Where the cursor is, from the first line on; undefined while it is hidden. */
		cursor: () => {
			const shown =
				output.written
					.join('')
					.match(/\u001B\[\?25[hl]/g)
					?.at(-1) === '\u001B[?25h';
			const {baseY, cursorY, cursorX} = terminal.buffer.active;
			return shown ? {row: baseY + cursorY, column: cursorX} : undefined;
		},
	};
}

/** A terminal's end of the wire. */
export function fakeOutput(columns: number, rows: number, onWrite: (data: string) => void = () => undefined) {
	const written: string[] = [];
	const listeners = new Set<() => void>();
	return {
		columns,
		rows,
		isTTY: true,
		written,
		write(data: string) {
			written.push(data);
			onWrite(data);
			return true;
		},
		on: (event: string, listener: () => void) => event === 'resize' && listeners.add(listener),
		off: (event: string, listener: () => void) => event === 'resize' && listeners.delete(listener),
	};
}

/** Waits until Ink has drawn what it was told: its throttle is a millisecond, a key of a field takes a few turns. */
export async function settle(flush: () => Promise<void> = () => Promise.resolve()): Promise<void> {
	await new Promise(resolve => setTimeout(resolve, 15));
	await flush();
}
