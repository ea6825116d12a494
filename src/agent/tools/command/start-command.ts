import {type ChildProcess, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {giveFilter} from '../../../containment/bubblewrap.ts';
import {hasLostMount, readReport, setupTries} from '../../../containment/bubblewrap-report.ts';
import {createCommandCgroup} from '../../../containment/cgroup.ts';
import {followDescendants} from '../../../containment/descendants.ts';
import {endMarked, markVariable} from '../../../containment/end-marked.ts';
import {type CommandLaunch, guardedLauncherOf, launcherOf, tellGuard} from '../../../containment/launch.ts';
import {diskOf} from '../../../containment/machine.ts';
import {processesSeenBy, signalGroup} from '../../../containment/processes.ts';
import {machineDiskLimit, machineMemoryLimit, processLimit, watchLimits} from '../../../containment/watch-limits.ts';
import {AppError} from '../../../core/error.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import type {WithheldFiles} from '../../policy/withheld-files.ts';
import type {CommandOutput} from './command-output.ts';

export type Start = CommandLaunch & {
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
	/** The program that contains the command, with its arguments; undefined if nothing does. */
	readonly sandbox?: readonly string[];
	/** The filter of system calls that the program reads. */
	readonly filter?: Buffer | undefined;
	/** Its standard input; empty if left out. */
	readonly input?: string | undefined;
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
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	/** Resolves when the command and all its processes have ended, and its output was read. Throws `AppError` if it can't start. */
	readonly ended: Promise<Ended>;
	/** Ends the command: SIGTERM, and SIGKILL after a moment. Resolves when it has ended. */
	readonly stop: () => Promise<void>;
	/** Ends the command at once, because it exceeded a limit. */
	readonly kill: (limit: string) => void;
};

export type StartedCommand = RunningCommand & {
	readonly output: CommandOutput;
	/** The files that it can't open; undefined without a sandbox. */
	readonly withheld: WithheldFiles | undefined;
};

/** How often it looks whether a limit may be exceeded that the kernel doesn't enforce: three short reads. */
const limitIntervalMs = 500;

/** Time between SIGTERM and SIGKILL. */
const killDelayMs = 2000;

/** Time that the output stays open after the end, for what a process without our group still writes. */
const closeDelayMs = 500;

/**
 * Starts a shell command without a terminal or inherited descriptors, in a process group of its own
 * (SAFETY 15). In a sandbox all its processes end with it, and with this program; elsewhere those of its control group where
 * the system lets us create one, else those of its process group, with its mark, and that were seen below it.
 */
export function startCommand(start: Start): RunningCommand {
	let running = startOnce(start);
	let isStopped = false;
	const {startedAt} = running;
	const ended = async () => {
		for (let tries = 1; ; tries += 1) {
			const result = await running.ended;
			if (!('complaint' in result)) {
				return result;
			}

			if (isStopped || tries === setupTries || !hasLostMount(result.complaint)) {
				throw new AppError('failed', `Couldn't start the sandbox: ${result.complaint.slice('bwrap: '.length, 500)}.`);
			}

			running = startOnce(start);
		}
	};

	return {
		startedAt,
		ended: ended(),
		kill: limit => running.kill(limit),
		stop() {
			isStopped = true;
			return running.stop();
		},
	};
}

/** What bubblewrap says if it can't set the sandbox up. The command didn't run. */
type NoSandbox = {readonly complaint: string};

function startOnce({sandbox, folder, maxProcesses, onData, ...start}: Start): Omit<RunningCommand, 'ended'> & {
	readonly ended: Promise<Ended | NoSandbox>;
} {
	const startedAt = Date.now();
	const mark = randomUUID();
	const cgroup = sandbox ? undefined : createCommandCgroup(mark);
	const child = launch({...start, folder, maxProcesses, ...(sandbox && {sandbox})}, mark, cgroup?.entries[0]);
	const onLeft = (left: readonly string[]) => tellGuard(child, left);
	const descendants = sandbox || cgroup ? undefined : followDescendants(child.pid, {onLeft});
	const endRest = async () => {
		await endMarked(mark, descendants?.running);
		descendants?.stop();
		await cgroup?.end();
	};
	const errors: Buffer[] = [];
	child.stdout?.on('data', onData);
	child.stderr?.on('data', chunk => errors.length < 100 && errors.push(chunk));
	const init = readReport(child);
	const members = () => processesSeenBy(init.pid());
	let limit: string | undefined;
	const killAll = () => {
		signalGroup(child.pid, 'SIGKILL');
		signalGroup(init.pid(), 'SIGKILL');
	};
	const kill = (exceeded: string) => {
		limit ??= exceeded;
		killAll();
	};
	const stopWatching = sandbox
		? watchLimits(limitIntervalMs, [
				machineDiskLimit(
					() => diskOf(folder),
					() => kill('it nearly filled the disk'),
				),
				processLimit(maxProcesses, members, () => kill(`more than ${maxProcesses} processes`)),
				machineMemoryLimit(members, () => kill('it used up the memory')),
			])
		: () => undefined;
	let stopping: NodeJS.Timeout | undefined;
	const ended = endOf(child, sandbox ? undefined : endRest).then(result => {
		const complaint = Buffer.concat(errors).toString('utf8').trim();
		if (sandbox && !init.hasStarted() && complaint.startsWith('bwrap: ')) {
			return {complaint};
		}

		// The command's own errors are in its output: these are of what should have started it.
		if (complaint) {
			onData(Buffer.from(complaint));
		}

		return limit === undefined ? result : {...result, limit};
	});
	const over = () => {
		clearTimeout(stopping);
		stopWatching();
	};
	ended.then(over, over);

	return {
		startedAt,
		ended,
		kill,
		async stop() {
			if (!stopping) {
				stopping = setTimeout(killAll, killDelayMs);
				// Killed before that, bubblewrap would leave a process behind that does not end with it yet.
				await (sandbox && Promise.race([init.named, ended.catch(() => undefined)]));
				signalGroup(sandbox ? init.pid() : child.pid, 'SIGTERM');
			}

			await ended.catch(() => undefined);
		},
	};
}

function launch(
	{command, shell, folder, env, sandbox, filter, maxProcesses, input}: Omit<Start, 'onData'>,
	mark: string,
	joinFile = '',
): ChildProcess {
	const launched = {command, shell, maxProcesses};
	const [program = '', ...args] = sandbox
		? [...sandbox, ...launcherOf(launched)]
		: guardedLauncherOf(launched, joinFile);
	// On descriptor 3 bubblewrap reports; without it, it says that this program is alive.
	const channels = [
		input === undefined ? 'ignore' : 'pipe',
		'pipe',
		'pipe',
		'pipe',
		...(filter ? ['pipe' as const] : []),
	] as const;
	const child = withoutInherited(channels, stdio =>
		spawn(program, args, {
			cwd: folder,
			stdio,
			detached: process.platform !== 'win32',
			windowsHide: true,
			env: {...env, [markVariable]: mark},
		}),
	);
	giveFilter(child, filter);
	// A program may end before it has read everything.
	child.stdin?.on('error', () => undefined).end(input);
	return child;
}

/** Resolves when the program has ended and its output was read. Kills what is left of its group, and ends the rest. */
function endOf(child: ChildProcess, endRest: (() => Promise<void>) | undefined): Promise<Ended> {
	return new Promise((resolve, reject) => {
		let rest: Promise<void> | undefined;
		child.once('error', error => {
			void endRest?.();
			reject(new AppError('failed', `Couldn't start the command: ${error.message}.`, {cause: error}));
		});
		child.once('exit', () => {
			signalGroup(child.pid, 'SIGKILL');
			rest = endRest?.();
			const timer = setTimeout(() => {
				for (const stream of child.stdio) {
					stream?.destroy();
				}
			}, closeDelayMs);
			child.once('close', () => clearTimeout(timer));
		});
		child.once('close', async (status, signal) => {
			await rest;
			resolve({status, signal});
		});
	});
}
