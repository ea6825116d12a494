import {type ChildProcess, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {AppError} from '../../../core/error.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import {signalGroup} from '../child/signal-group.ts';
import type {CommandOutput} from './command-output.ts';
import {endMarked, markVariable} from './end-marked.ts';
import {watchLimits} from './watch-limits.ts';

export type Start = {
	/** What the shell gets, byte for byte. */
	readonly command: string;
	readonly shell: string;
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
	/** The program that contains the command, with its arguments; undefined if nothing does. */
	readonly sandbox: readonly string[] | undefined;
	/** Most processes at a time. */
	readonly maxProcesses: number;
	readonly onData: (chunk: Buffer) => void;
};

/** How a command ended. `status` is null if a signal ended it. */
export type Ended = {
	readonly status: number | null;
	readonly signal: NodeJS.Signals | null;
	/** The limit that it exceeded and that ended it. */
	readonly limit?: string;
};

export type RunningCommand = {
	/** Resolves when the command and all its processes have ended, and its output was read. Throws `AppError` if it can't start. */
	readonly ended: Promise<Ended>;
	/** Ends the command: SIGTERM, and SIGKILL after a moment. Resolves when it has ended. */
	readonly stop: () => Promise<void>;
};

export type StartedCommand = RunningCommand & {readonly output: CommandOutput};

/** Time between SIGTERM and SIGKILL. */
const killDelayMs = 2000;

/** Time that the output stays open after the end, for what a process without our group still writes. */
const closeDelayMs = 500;

/**
 * Joins both outputs, so that their lines stay in order, and sets limits. Constant: the command is an argument, which no
 * shell but its own reads as code.
 */
const launcher = [
	'exec 2>&1',
	'ulimit -c 0',
	'ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null',
	'exec "$0" -c "$1"',
].join('; ');

/** Without a sandbox: an orphan that ends the group once this program is gone, which closes descriptor 3. */
const guardedLauncher = `( { read -r _ <&3; kill -KILL -- "-$$"; } </dev/null >/dev/null 2>&1 & ); exec 3<&-; ${launcher}`;

/**
 * Starts a shell command without a terminal, standard input or inherited descriptors, in a process group of its own
 * (SAFETY 15). In a sandbox all its processes end with it, and with this program; elsewhere those of its group and those
 * with its mark.
 */
export function startCommand({command, shell, folder, env, sandbox, maxProcesses, onData}: Start): RunningCommand {
	const mark = randomUUID();
	const script = sandbox ? launcher : guardedLauncher;
	const [program = '', ...args] = [...(sandbox ?? []), '/bin/sh', '-c', script, shell, command, `${maxProcesses}`];
	// On descriptor 3 bubblewrap reports; without it, it says that this program is alive.
	const child = withoutInherited(['ignore', 'pipe', 'pipe', 'pipe'], stdio =>
		spawn(program, args, {
			...{cwd: folder, stdio, detached: process.platform !== 'win32', windowsHide: true},
			env: {...env, [markVariable]: mark},
		}),
	);
	const errors: Buffer[] = [];
	child.stdout?.on('data', onData);
	child.stderr?.on('data', chunk => errors.length < 100 && errors.push(chunk));
	const init = firstProcess(child);
	let limit: string | undefined;
	const stopWatching = sandbox
		? watchLimits({
				...{init, maxProcesses},
				onExceeded(exceeded) {
					limit ??= exceeded;
					signalGroup(child.pid, 'SIGKILL');
				},
			})
		: () => undefined;
	let stopping: NodeJS.Timeout | undefined;
	const ended = endOf(child, sandbox ? undefined : mark).then(result => {
		const complaint = Buffer.concat(errors).toString('utf8').trim();
		if (sandbox && complaint.startsWith('bwrap: ')) {
			throw new AppError('failed', `Couldn't start the sandbox: ${complaint.slice('bwrap: '.length, 500)}.`);
		}

		return limit === undefined ? result : {...result, limit};
	});
	const over = () => {
		clearTimeout(stopping);
		stopWatching();
	};
	ended.then(over, over);

	return {
		ended,
		async stop() {
			const group = sandbox ? init() : child.pid;
			if (!stopping) {
				signalGroup(group, 'SIGTERM');
				stopping = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), group === undefined ? 0 : killDelayMs);
			}

			await ended.catch(() => undefined);
		},
	};
}

/**
 * Returns the first process in the sandbox, once bubblewrap has named it. It leads the group of the command, and ignores
 * SIGTERM itself.
 */
function firstProcess(child: ChildProcess): () => number | undefined {
	let text = '';
	const status = child.stdio[3];
	if (status && 'on' in status) {
		status.on('data', chunk => {
			text = `${text}${chunk}`.slice(0, 1000);
		});
		status.on('error', () => undefined);
	}

	return () => {
		const [, pid] = /"child-pid": *(\d+)/.exec(text) ?? [];
		return pid === undefined ? undefined : Number(pid);
	};
}

/** Resolves when the program has ended and its output was read. Kills what is left of its group, and what has the mark. */
function endOf(child: ChildProcess, mark: string | undefined): Promise<Ended> {
	return new Promise((resolve, reject) => {
		let rest: Promise<void> | undefined;
		child.once('error', error => {
			reject(new AppError('failed', `Couldn't start the command: ${error.message}.`, {cause: error}));
		});
		child.once('exit', () => {
			signalGroup(child.pid, 'SIGKILL');
			rest = mark === undefined ? undefined : endMarked(mark);
			const timer = setTimeout(() => child.stdout?.destroy(), closeDelayMs);
			child.once('close', () => clearTimeout(timer));
		});
		child.once('close', async (status, signal) => {
			await rest;
			resolve({status, signal});
		});
	});
}
