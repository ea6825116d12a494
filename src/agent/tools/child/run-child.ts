import {type ChildProcess, spawn} from 'node:child_process';
import {basename, delimiter} from 'node:path';
import {signalGroup} from '../../../containment/processes.ts';
import {AppError} from '../../../core/error.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import {createCappedOutput} from './capped-output.ts';
import {childEnvironment} from './child-environment.ts';
import {findProgram, firstIn, foldersOutside} from './find-program.ts';

type Options = {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** A folder of the project, a real path, if no program of the project may be started. */
	readonly outside?: string;
	readonly signal: AbortSignal;
	/** Its standard input; empty if left out. */
	readonly input?: string;
	/** Variables to add to the allow-listed environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Longest time that it may run; 30 s by default. */
	readonly timeoutMs?: number;
	/** Most bytes to keep of each output; of a longer one the head and the tail are kept. */
	readonly maxBytes?: number;
};

type ChildResult = {
	/** Exit status; null if a signal ended it. */
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
	/** Number of bytes left out between the head and the tail of stdout. */
	readonly omittedBytes: number;
};

/** Time between SIGTERM and SIGKILL. */
const killDelayMs = 500;

/** Time for the output to end after the program has. */
const outputDelayMs = 1000;

/**
 * Runs a program without a shell (SAFETY 13, 15): allow-listed environment, its own process group, a time limit and
 * capped output. What it leaves running is ended with it. Throws `AppError("not-found")` if the program can't be
 * started, `AppError("failed")` after the time limit, and the signal's reason on an abort.
 */
export async function runChild(options: Options): Promise<ChildResult> {
	const {command, args, cwd, outside, signal, input, env, timeoutMs = 30_000, maxBytes = 1_000_000} = options;
	signal.throwIfAborted();
	const stdout = createCappedOutput(maxBytes);
	const stderr = createCappedOutput(maxBytes);
	const deadline = AbortSignal.timeout(timeoutMs);
	const stop = AbortSignal.any([signal, deadline]);
	const folders = outside === undefined ? undefined : foldersOutside(outside, process.env);
	const program = folders ? firstIn(folders, command) : findProgram(command, process.env);
	if (program === undefined) {
		throw new AppError('not-found', `Couldn't start ${command}: it is not installed.`);
	}

	const child = withoutInherited([input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], stdio =>
		spawn(program, args, {
			cwd,
			env: {...childEnvironment(process.env), ...(folders && {PATH: folders.join(delimiter)}), ...env},
			stdio,
			detached: process.platform !== 'win32',
			windowsHide: true,
		}),
	);
	child.stdout?.on('data', stdout.add);
	child.stderr?.on('data', stderr.add);
	// A program may end before it has read everything; its status says whether that is an error.
	child.stdin?.on('error', () => undefined).end(input);
	const end = () => endGroup(child);
	stop.addEventListener('abort', end, {once: true});

	try {
		const status = await ended(child);
		signal.throwIfAborted();
		if (deadline.aborted) {
			throw new AppError('failed', `${basename(command)} took longer than ${timeoutMs / 1000} s and was stopped.`);
		}

		return {status, stdout: stdout.text(), stderr: stderr.text(), omittedBytes: stdout.omittedBytes()};
	} finally {
		stop.removeEventListener('abort', end);
	}
}

/**
 * Resolves when the program has ended and its output was read. Kills what is left of its process group. What has left the
 * group and still holds the output is not waited for.
 */
function ended(child: ChildProcess): Promise<number | null> {
	return new Promise((resolve, reject) => {
		let timer: NodeJS.Timeout | undefined;
		child.once('error', error => {
			reject(new AppError('not-found', `Couldn't start ${child.spawnfile}: ${error.message}.`, {cause: error}));
		});
		child.once('exit', () => {
			signalGroup(child.pid, 'SIGKILL');
			// After a turn of the event loop, which reads what has arrived by then.
			timer = setTimeout(() => setImmediate(() => closeOutput(child)), outputDelayMs);
		});
		child.once('close', status => {
			clearTimeout(timer);
			resolve(status);
		});
	});
}

function closeOutput({stdout, stderr}: ChildProcess): void {
	stdout?.destroy();
	stderr?.destroy();
}

function endGroup(child: ChildProcess): void {
	signalGroup(child.pid, 'SIGTERM');
	const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killDelayMs);
	child.once('close', () => clearTimeout(timer));
}
