import pty from '@lydell/node-pty';
import {environmentOf, folderWith, type Place, program} from './program.ts';
import {type TerminalView, viewTerminal} from './terminal-view.ts';

type Options = Place & {
	readonly columns?: number;
	readonly rows?: number;
	readonly args?: readonly string[];
	/** Runs this instead of Node with the program, for example a shell that starts it. `args` come last. */
	readonly shell?: {readonly file: string; readonly args: readonly string[]};
};

export type TestTerminal = TerminalView & {
	readonly pid: number;
	readonly kill: (signal?: NodeJS.Signals) => void;
	/** Closes the terminal's end, as a window that is closed: its programs get SIGHUP, and can't write any more. */
	readonly hangUp: () => void;
};

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
	const child = pty.spawn(shell?.file ?? process.execPath, [...(shell?.args ?? [program]), ...args], {
		name: env['TERM'] ?? '',
		cols: columns,
		rows,
		cwd: options.folder ?? folderWith(),
		env,
	});
	const view = viewTerminal(
		{
			onData: listener => void child.onData(listener),
			onExit: listener => void child.onExit(({exitCode, signal = 0}) => listener({status: exitCode, signal})),
			write: data => child.write(data),
			resize: (newColumns, newRows) => child.resize(newColumns, newRows),
			end: () => killIfAlive(child.pid),
		},
		{cols: columns, rows},
	);
	return {
		...view,
		pid: child.pid,
		kill: (signal = 'SIGKILL') => process.kill(child.pid, signal),
		hangUp: () => Object(child).destroy(),
	};
}
