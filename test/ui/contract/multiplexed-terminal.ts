import {execFileSync, spawnSync} from 'node:child_process';
import {EventEmitter, once} from 'node:events';
import {constants, existsSync, openSync, readFileSync, rmSync} from 'node:fs';
import {Socket} from 'node:net';
import {join} from 'node:path';
import pty from '@lydell/node-pty';
import {onTestFinished} from 'vitest';
import {temporaryFolder} from '../../storage/temporary.ts';
import type {ContractTerminal} from './emulated-terminal.ts';

/** Returns true if the program can be started. */
export function isInstalled(program: string): boolean {
	try {
		execFileSync('which', [program], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

/** What a multiplexer shows and does, asked from outside. */
type Outside = {
	readonly resize: (columns: number, rows: number) => void;
	/** Returns all rows, those above the window first. */
	readonly capture: () => readonly string[];
	/** True if it gives letters for other characters. */
	readonly isLossy?: true;
	readonly end: () => void;
};

/** Copies what is written to one pipe to its terminal, what the terminal answers to another, and each new size to a file. */
const copier = (folder: string) =>
	[
		'stty raw -echo',
		'exec 3<&0',
		`cat <${folder}/in &`,
		`cat <&3 >${folder}/out &`,
		`trap 'stty size <&3 >${folder}/size' WINCH`,
		'while :; do wait; done',
	].join('\n');

/** The questions that the app asks while it draws: for the place of the cursor, and for the size of the window. */
const question = /\u001b\[(?:6n|18t)/;
const answerTo = /\u001b\[(?:\d+;\d+R|8;\d+;\d+t)/g;
/** No answer is longer, so that one which is cut is in so much of what came last. */
const maxAnswerLength = 32;

/** Opens a window of a real multiplexer. What the app writes goes through a pipe to a program that runs in it. */
async function openMultiplexed(
	columns: number,
	rows: number,
	start: (folder: string, script: string) => Outside,
): Promise<ContractTerminal> {
	const folder = temporaryFolder();
	execFileSync('mkfifo', [join(folder, 'in'), join(folder, 'out')]);
	const outside = start(folder, copier(folder));
	// Sockets, because reading a pipe as a file would keep a thread of Node's waiting; and both ways, or it would end at once.
	const {O_RDWR, O_NONBLOCK} = constants;
	const openPipe = (name: string, can: {readonly readable: boolean; readonly writable: boolean}) =>
		new Socket({fd: openSync(join(folder, name), O_RDWR | O_NONBLOCK), ...can});
	const input = openPipe('in', {readable: false, writable: true});
	const output = openPipe('out', {readable: true, writable: false}).setEncoding('latin1');
	const listeners: ((data: string) => void)[] = [];
	/** The number of questions for the place of the cursor and the size of the window that are not answered. */
	let questions = 0;
	let heard = '';
	const send = (data: string) => {
		questions += data.split(question).length - 1;
		return input.write(data);
	};
	output.on('data', (data: string) => {
		heard = `${heard}${data}`.replace(answerTo, () => {
			questions--;
			return '';
		});
		heard = heard.slice(-maxAnswerLength);
		for (const listener of listeners) {
			listener(data);
		}
	});
	/** Asks the terminal, and takes its answer from what it says to the app. */
	const request = async (question: string, answer: RegExp) => {
		send(question);
		for (let heard = ''; ; ) {
			const [data] = (await once(output, 'data')) as [string];
			heard += data;
			const match = answer.exec(heard);
			if (match) {
				return match;
			}
		}
	};
	onTestFinished(() => {
		outside.end();
		input.destroy();
		output.destroy();
	});
	const written: string[] = [];
	/** How often the window was changed, how much of that it has drawn, and its rows as they were asked for last. */
	let changes = 1;
	let drawn = 0;
	let asked: {readonly at: number; readonly rows: readonly string[]} = {at: 0, rows: []};
	const write = (data: string) => {
		changes++;
		return send(data);
	};
	const stdout = Object.assign(new EventEmitter(), {
		columns,
		rows,
		isTTY: true,
		write(data: string) {
			written.push(data);
			write(data);
			return true;
		},
	});
	const parsed = async () => {
		const at = changes;
		if (drawn < at) {
			await request('\u001b[5n', /\u001b\[0n/);
			drawn = at;
		}
	};
	await parsed();
	// A capture starts a program: what was drawn is asked for once.
	const all = () => {
		if (asked.at < changes) {
			asked = {at: drawn === changes ? changes : 0, rows: outside.capture()};
		}

		return asked.rows;
	};
	return {
		stdout: stdout as unknown as NodeJS.WriteStream,
		written,
		parsed,
		async resize(newColumns, newRows, before = async () => undefined) {
			await parsed();
			outside.resize(newColumns, newRows);
			changes++;
			await before();
			await parsed();
			Object.assign(stdout, {columns: newColumns, rows: newRows});
			stdout.emit('resize');
		},
		onReply: listener => void listeners.push(listener),
		isAsked: () => questions > 0,
		writeAsShell: data => void write(data),
		isLossy: outside.isLossy === true,
		scrollback: () => all().slice(0, -stdout.rows),
		window: () => all().slice(-stdout.rows),
		async cursor() {
			// What the app has asked for is answered first.
			await request('\u001b[5n', /\u001b\[0n/);
			const [, row, column] = await request('\u001b[6n', /\u001b\[(\d+);(\d+)R/);
			const last = written
				.join('')
				.match(/\u001b\[\?25[hl]/g)
				?.at(-1);
			return {row: Number(row) - 1, column: Number(column) - 1, isShown: last?.endsWith('h') === true};
		},
	};
}

/** Opens a window of a tmux server of its own. `ask` runs one of its commands and returns what that prints. */
export async function openTmux(columns: number, rows: number) {
	let socket = '';
	const tmux = (...args: readonly string[]) =>
		spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {encoding: 'utf8'}).stdout;
	const terminal = await openMultiplexed(columns, rows, (folder, script) => {
		socket = join(folder, 'socket');
		const size = ['-x', `${columns}`, '-y', `${rows}`];
		tmux('new-session', '-d', ...size, `exec sh -c "${script}"`, ';', 'set', '-g', 'status', 'off');
		tmux('resize-window', ...size);
		return {
			resize: (newColumns, newRows) => void tmux('resize-window', '-x', `${newColumns}`, '-y', `${newRows}`),
			capture: () => tmux('capture-pane', '-p', '-S', '-').replace(/\n$/, '').split('\n'),
			end: () => void tmux('kill-server'),
		};
	});
	return {...terminal, ask: tmux};
}

/** Opens a window of GNU Screen, which needs a terminal around it. */
export function openScreen(columns: number, rows: number): Promise<ContractTerminal> {
	return openMultiplexed(columns, rows, (folder, script) => {
		const env = {...process.env, SCREENDIR: folder, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TERM: 'xterm-256color'};
		const outer = pty.spawn('screen', ['-U', '-c', '/dev/null', '-h', '5000', '-S', 'contract', 'sh', '-c', script], {
			cols: columns,
			rows,
			env,
		});
		const command = (...args: readonly string[]) =>
			void execFileSync('screen', ['-S', 'contract', '-X', ...args], {env, stdio: 'ignore'});
		return {
			resize(newColumns, newRows) {
				const [before] = outer.cols === newColumns && outer.rows === newRows ? [''] : [`${newRows} ${newColumns}\n`];
				rmSync(join(folder, 'size'), {force: true});
				outer.resize(newColumns, newRows);
				waitUntil(() => before === '' || contentOf(join(folder, 'size')) === before);
			},
			capture() {
				const [file, after] = [join(folder, 'copy'), join(folder, 'after')];
				rmSync(after, {force: true});
				// It writes piece by piece, but one file after the other: when there is a second one, the first one is whole.
				command('eval', `hardcopy -h ${file}`, `hardcopy ${after}`);
				waitUntil(() => existsSync(after));
				// It writes the last byte of each character, so that the sign of the prompt becomes a letter.
				const rows = contentOf(file).replace(/\n$/, '').split('\n');
				return rows.map(row => row.replace(/^o (?=[A-Z]|$)/, '❯ '));
			},
			isLossy: true,
			end: () => command('quit'),
		};
	});
}

function contentOf(file: string): string {
	return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Waits, without a turn of the event loop, for what another process does at once. */
function waitUntil(holds: () => boolean): void {
	const never = new Int32Array(new SharedArrayBuffer(4));
	while (!holds()) {
		Atomics.wait(never, 0, 0, 1);
	}
}
