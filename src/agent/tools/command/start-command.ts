import {type ChildProcess, spawn} from 'node:child_process';
import {AppError} from '../../../core/error.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import type {CommandOutput} from './command-output.ts';

export type Start = {
	/** What the shell gets, byte for byte. */
	readonly command: string;
	readonly shell: string;
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
	/** The program that contains the command, with its arguments; undefined if nothing does. */
	readonly sandbox: readonly string[] | undefined;
	readonly onData: (chunk: Buffer) => void;
};

/** How a command ended. `status` is null if a signal ended it. */
export type Ended = {readonly status: number | null; readonly signal: NodeJS.Signals | null};

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

/** Most processes of a user while the command runs: a fork bomb ends there. */
const maxProcesses = 4096;

/**
 * Joins both outputs, so that their lines stay in order, and sets limits. Constant: the command is an argument, which no
 * shell but its own reads as code.
 */
const launcher = [
	'exec 2>&1',
	'ulimit -c 0',
	`ulimit -u ${maxProcesses} 2>/dev/null || ulimit -p ${maxProcesses} 2>/dev/null`,
	'exec "$0" -c "$1"',
].join('; ');

/**
 * Starts a shell command without a terminal, standard input or inherited descriptors, in a process group of its own
 * (SAFETY 15).
 */
export function startCommand({command, shell, folder, env, sandbox = [], onData}: Start): RunningCommand {
	const [program = '/bin/sh', ...args] = [...sandbox, '/bin/sh', '-c', launcher, shell, command];
	// Bubblewrap reports on descriptor 3.
	const status = sandbox.length > 0 ? (['pipe'] as const) : [];
	const child = withoutInherited(['ignore', 'pipe', 'pipe', ...status], stdio =>
		spawn(program, args, {cwd: folder, env, stdio, detached: process.platform !== 'win32', windowsHide: true}),
	);
	const errors: Buffer[] = [];
	child.stdout?.on('data', onData);
	child.stderr?.on('data', chunk => errors.length < 100 && errors.push(chunk));
	const inner = innerGroup(child);
	let stopping: NodeJS.Timeout | undefined;
	const ended = endOf(child).then(result => {
		clearTimeout(stopping);
		const complaint = Buffer.concat(errors).toString('utf8').trim();
		if (sandbox.length > 0 && complaint.startsWith('bwrap: ')) {
			throw new AppError('failed', `Couldn't start the sandbox: ${complaint.slice('bwrap: '.length, 500)}.`);
		}

		return result;
	});
	// Whoever starts a command awaits this later.
	ended.catch(() => undefined);

	return {
		ended,
		async stop() {
			const group = sandbox.length > 0 ? inner() : child.pid;
			if (!stopping) {
				signalGroup(group, 'SIGTERM');
				stopping = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), group === undefined ? 0 : killDelayMs);
			}

			await ended.catch(() => undefined);
		},
	};
}

/**
 * Returns the process group in the sandbox, once bubblewrap has named it. Its leader is the first process of a namespace,
 * which ignores SIGTERM; the others get it.
 */
function innerGroup(child: ChildProcess): () => number | undefined {
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

/** Resolves when the program has ended and its output was read. Kills what is left of its process group. */
function endOf(child: ChildProcess): Promise<Ended> {
	return new Promise((resolve, reject) => {
		child.once('error', error => {
			reject(new AppError('failed', `Couldn't start the command: ${error.message}.`, {cause: error}));
		});
		child.once('exit', () => {
			signalGroup(child.pid, 'SIGKILL');
			const timer = setTimeout(() => child.stdout?.destroy(), closeDelayMs);
			child.once('close', () => clearTimeout(timer));
		});
		child.once('close', (status, signal) => resolve({status, signal}));
	});
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
	if (pid === undefined) {
		return;
	}

	try {
		process.kill(process.platform === 'win32' ? pid : -pid, signal);
	} catch {
		// The group has ended already.
	}
}
