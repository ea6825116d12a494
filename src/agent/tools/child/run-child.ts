import {type ChildProcess, spawn} from 'node:child_process';
import {basename} from 'node:path';
import {AppError} from '../../../core/error.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import {createCappedOutput} from './capped-output.ts';
import {childEnvironment} from './child-environment.ts';
import {findProgram} from './find-program.ts';

type Options = {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly signal: AbortSignal;
	/** What it reads from standard input; without it there is none. */
	readonly input?: string;
	/** Added to the allow-listed environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Longest time that it may run; 30 s by default. */
	readonly timeoutMs?: number;
	/** Most bytes that are kept of each output; of more, the head and the tail. */
	readonly maxBytes?: number;
};

export type ChildResult = {
	/** Exit status; null where a signal ended it. */
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
	/** How many bytes of stdout were left out between head and tail. */
	readonly omitted: number;
};

/** Time between SIGTERM and SIGKILL. */
const killDelayMs = 500;

/**
 * Runs a program without a shell (SAFETY 13, 15): allow-listed environment, its own process group, a time
 * limit and capped output. Whatever it leaves running is ended with it. Throws `AppError` `not-found` where the program
 * cannot be started, `failed` where it took too long, and the signal's reason on an abort.
 */
export async function runChild(options: Options): Promise<ChildResult> {
	const {command, args, cwd, signal, input, env, timeoutMs = 30_000, maxBytes = 1_000_000} = options;
	signal.throwIfAborted();
	const stdout = createCappedOutput(maxBytes);
	const stderr = createCappedOutput(maxBytes);
	const deadline = AbortSignal.timeout(timeoutMs);
	const stop = AbortSignal.any([signal, deadline]);
	const program = findProgram(command, process.env);
	if (program === undefined) {
		throw new AppError('not-found', `${command} cannot be started: it is not installed.`);
	}

	const child = withoutInherited([input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], stdio =>
		spawn(program, args, {
			cwd,
			env: {...childEnvironment(process.env), ...env},
			stdio,
			detached: process.platform !== 'win32',
			windowsHide: true,
		}),
	);
	child.stdout?.on('data', stdout.add);
	child.stderr?.on('data', stderr.add);
	// A program may end before it has read everything; its status says whether that is a fault.
	child.stdin?.on('error', () => undefined).end(input);
	const end = () => endGroup(child);
	stop.addEventListener('abort', end, {once: true});

	try {
		const status = await ended(child);
		signal.throwIfAborted();
		if (deadline.aborted) {
			throw new AppError('failed', `${basename(command)} took longer than ${timeoutMs / 1000} s and was ended.`);
		}

		return {status, stdout: stdout.text(), stderr: stderr.text(), omitted: stdout.omitted()};
	} finally {
		stop.removeEventListener('abort', end);
	}
}

/** Resolves when the program has ended and its output was read; what it left behind in its group is killed. */
function ended(child: ChildProcess): Promise<number | null> {
	return new Promise((resolve, reject) => {
		child.once('error', error => {
			reject(new AppError('not-found', `${child.spawnfile} cannot be started: ${error.message}.`, {cause: error}));
		});
		child.once('exit', () => signalGroup(child, 'SIGKILL'));
		child.once('close', resolve);
	});
}

function endGroup(child: ChildProcess): void {
	signalGroup(child, 'SIGTERM');
	const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killDelayMs);
	child.once('close', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) {
		return;
	}

	try {
		process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
	} catch {
		// The group has ended already.
	}
}
