import {PassThrough, type Readable, Writable} from 'node:stream';
import {onTestFinished} from 'vitest';
import {readInvocation} from '../../src/command/invocation.ts';
import type {ComposeOptions} from '../../src/command/program.ts';
import {openTerminalWidths} from '../../src/config/terminal-widths.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {defaultCellWidths, setCellWidths} from '../../src/terminal/text/cell-widths.ts';
import {startApp} from '../../src/ui/start.tsx';
import {type Chat, connectedTo, waitForStart} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {environmentOf, folderWith, type Place} from './program.ts';
import {type TerminalEnd, type TerminalView, viewTerminal} from './terminal-view.ts';

type Options = Place & {
	readonly columns?: number;
	readonly rows?: number;
	readonly args?: readonly string[];
};

/**
 * Runs the app as `startTerminal` does, but in this process, for a fraction of the work. It isn't for tests of the process,
 * its signals, its end and its modules.
 */
export function openApp({columns = 80, rows = 24, args = [], ...place}: Options = {}): TerminalView {
	const env = environmentOf({...place, env: {...place.env, NODE_DISABLE_COMPILE_CACHE: '1'}});
	const folder = place.folder ?? folderWith();
	const keyboard = new PassThrough();
	const stdin: Readable = keyboard;
	Object.assign(stdin, {isTTY: true, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin});
	let show: (data: string) => void = () => undefined;
	const screen = new Writable({
		decodeStrings: false,
		write(data: string, _encoding, done) {
			show(String(data));
			done();
		},
	});
	const stdout = Object.assign(screen, {columns, rows, isTTY: true}) as NodeJS.WriteStream & Writable;
	onTestFinished(() => setCellWidths(defaultCellWidths));
	const ended = start(args, {env, folder, stdin: stdin as NodeJS.ReadStream, stdout});
	return viewTerminal(
		{
			onData(listener) {
				show = listener;
			},
			onExit: listener => void ended.then(listener),
			write: data => void keyboard.write(data),
			resize(newColumns, newRows) {
				Object.assign(stdout, {columns: newColumns, rows: newRows});
				stdout.emit('resize');
			},
			end: () => void keyboard.end(),
		},
		{cols: columns, rows, convertEol: true},
	);
}

type Parts = {
	readonly env: Readonly<Record<string, string>>;
	readonly folder: string;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
};

async function start(args: readonly string[], {env, folder, ...streams}: Parts): Promise<TerminalEnd> {
	const invocation = readInvocation(args);
	if (invocation.mode !== 'app') {
		throw new Error(`${args.join(' ')} does not open the app.`);
	}

	// What is written at once is shown, since the terminal listens when this function has returned.
	await Promise.resolve();
	const store = createAppStore();
	const status = await startApp(invocation, {
		...{store, env, ...streams, version: '0.0.0', widths: openTerminalWidths(env)},
		async compose(options: ComposeOptions) {
			const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
			return compose({...options, store, env, folder, version: '0.0.0', workerUrl});
		},
		onInterrupt: () => undefined,
		process: {pid: 1, on: () => undefined, off: () => undefined, kill: () => undefined},
	});
	return {status, signal: 0};
}

/** The app in this process, with a host that the test scripts as its model, ready for a prompt. */
export async function openChat({args = [], env, ...options}: Options = {}): Promise<Chat<TerminalView>> {
	const host = await startModelHost();
	const connected = connectedTo(host);
	const terminal = openApp({...options, env: {...connected.env, ...env}, args: [...connected.args, ...args]});
	await waitForStart(terminal);
	return {host, terminal};
}
