import {spawn} from 'node:child_process';
import {realpath, rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {once} from '../../core/once.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {thisProcess} from '../../storage/lock-owner.ts';
import {bubblewrapArguments, findBubblewrap} from './bubblewrap.ts';
import {launchCommand} from './launch-command.ts';
import {appendLine, readLogWindow} from './log-file.ts';
import {isAlive, send, signalSandbox, stateLetter} from './processes.ts';
import type {SandboxLimits, SandboxProvider, SandboxSpec, SandboxState} from './provider.ts';
import {sandboxEnvironment, standardPath} from './sandbox-environment.ts';
import {
	machineOf,
	prepareFolder,
	readStatus,
	removeWork,
	type SandboxFolder,
	sandboxFolder,
	writeDeadline,
} from './sandbox-folder.ts';
import {supervise} from './supervisor.ts';
import type {SupervisorPlan} from './supervisor-plan.ts';

type Options = {
	/** Where sandboxes have their folders; it is made where it is missing. */
	readonly root: string;
	/** The environment that the allow-list picks from. */
	readonly environment?: Environment;
	/** More folders that a sandbox must not read: the server's data. */
	readonly hidden?: readonly string[];
	/** Milliseconds between the request to end and the kill. */
	readonly grace?: number;
	/** Whether sandboxes end with this process, as nobody will know of them afterwards. */
	readonly isEphemeral?: boolean;
};

const defaults: SandboxLimits = {
	memoryBytes: 4 * 1024 ** 3,
	processes: 4096,
	cpuSeconds: 4 * 3600,
	fileBytes: 1024 ** 3,
	logBytes: 8 * 1024 * 1024,
};

const segments = 8;

const apart = 'kept apart by bubblewrap: the workspace is writable, homes are empty, the network is on';
const notApart =
	'NOT kept apart: bubblewrap is missing or does not work here, so this runs with all rights of the server';

/** Longest wait in milliseconds for a supervisor to begin, and for processes to stop. */
const patience = 10_000;
const stopPatience = 1000;

/**
 * Runs sandboxes as processes of this machine, each in its own process group below a supervisor that outlives the server,
 * in bubblewrap where that works. Several servers on one machine may share a root.
 */
export function createLocalProvider(options: Options): SandboxProvider {
	const {root, environment = process.env, hidden = [], grace = 2000, isEphemeral = false} = options;
	const locate = (id: string) => sandboxFolder(root, id);
	const findWrapper = once(async () => {
		const covered = await existing(['/home', '/root', '/run', '/tmp', homedir(), root, ...hidden]);
		return {hidden: covered, bubblewrap: await findBubblewrap(environment['PATH'] ?? standardPath.join(':'), covered)};
	});

	const start = async (spec: SandboxSpec): Promise<void> => {
		if (process.platform === 'win32') {
			throw new AppError('failed', 'Sandboxes need Linux or macOS.', {hint: 'Run the server there.'});
		}

		const folder = locate(spec.id);
		const workspace = await prepareFolder(folder, spec).catch(error => {
			throw explainFileError(error, 'write', folder.path);
		});
		await launch(folder, planOf(spec, folder, workspace, await findWrapper()));
	};

	const planOf = (
		{id, build, command, environment: added, limits}: SandboxSpec,
		folder: SandboxFolder,
		workspace: string,
		{bubblewrap, hidden: covered}: {readonly hidden: readonly string[]; readonly bubblewrap: string | undefined},
	): SupervisorPlan => {
		const bounds = {...defaults, ...limits};
		const writable = [workspace, folder.temporary];
		const wrapper = bubblewrap
			? [bubblewrap, ...bubblewrapArguments({writable, hidden: covered, cwd: workspace}), '--']
			: [];
		return {
			folder: folder.path,
			steps: [...build, command].map(step => ({
				name: step.name,
				shown: step.command.join(' '),
				command: launchCommand(step.command, bounds, wrapper),
			})),
			builds: build.length,
			cwd: workspace,
			environment: sandboxEnvironment(environment, {id, workspace, temporary: folder.temporary, added}),
			notice: bubblewrap ? apart : notApart,
			segmentBytes: Math.max(1, Math.floor(bounds.logBytes / segments)),
			segments,
			processes: bounds.processes,
			grace,
			...(isEphemeral && {owner: thisProcess()}),
		};
	};

	const inspect = async (id: string): Promise<SandboxState> => {
		const folder = locate(id);
		const seen = await readStatus(folder);
		const isLeft = seen === undefined || (seen.phase !== 'ended' && !(await isAlive(seen.supervisor)));
		// The last thing that a supervisor does is to say how it ended, maybe between those two looks.
		const status = isLeft ? await readStatus(folder) : seen;
		if (status?.phase === 'ended') {
			return {
				kind: 'ended',
				step: status.exit?.step ?? '',
				status: status.exit?.status ?? null,
				asked: status.stopped ?? false,
			};
		}

		if (!status || isLeft) {
			return {kind: 'gone'};
		}

		const letter = status.group && (await stateLetter(status.group.pid));
		return {kind: letter === 'T' ? 'paused' : status.phase};
	};

	const signal = async (id: string, name: NodeJS.Signals) => {
		const status = await readStatus(locate(id));
		await signalSandbox(id, status?.group, name);
		return status;
	};

	const end = async (id: string): Promise<void> => {
		const folder = locate(id);
		const supervisor = (await readStatus(folder))?.supervisor;
		if (supervisor && (await isAlive(supervisor))) {
			send(supervisor.pid, 'SIGTERM');
			await until(async () => !(await isAlive(supervisor)), grace + stopPatience);
			if (await isAlive(supervisor)) {
				send(supervisor.pid, 'SIGKILL');
			}
		}

		// What left its group, or lost its supervisor.
		await signal(id, 'SIGKILL');
		await removeWork(folder);
	};

	return {
		name: 'local',
		supportsPause: process.platform !== 'win32',
		start,
		inspect,
		async pause(id) {
			const group = (await signal(id, 'SIGSTOP'))?.group;
			if (group) {
				await until(async () => ((await stateLetter(group.pid)) ?? 'T') === 'T', stopPatience);
			}
		},
		async resume(id, deadline) {
			await writeDeadline(locate(id), deadline);
			await signal(id, 'SIGCONT');
		},
		end,
		async remove(id) {
			await end(id);
			await rm(locate(id).path, {recursive: true, force: true});
		},
		// Asked again after a failure: a disk that is full now has room later.
		machine: once(() => machineOf(root)),
		note: (id, line) => appendLine(locate(id).log, `[server] ${line}`),
		readLog: (id, {after}) => readLogWindow(locate(id).log, after),
	};
}

async function launch(folder: SandboxFolder, plan: SupervisorPlan): Promise<void> {
	const child = spawn(process.execPath, ['--max-old-space-size=64', '-e', `(${supervise.toString()})()`], {
		cwd: '/',
		env: {},
		stdio: ['pipe', 'ignore', 'ignore'],
		detached: true,
	});
	let fault: string | undefined;
	child.once('error', error => {
		fault = error.message;
	});
	child.once('exit', status => {
		fault ??= `its supervisor ended with status ${status}`;
	});
	child.stdin.on('error', () => undefined);
	child.stdin.end(JSON.stringify(plan));
	child.unref();
	await until(async () => fault !== undefined || (await readStatus(folder)) !== undefined, patience);
	if (!(await readStatus(folder))) {
		child.kill('SIGKILL');
		throw new AppError('failed', `The sandbox could not start: ${fault ?? 'nothing was heard of it'}.`);
	}
}

/** Resolves when `isTrue` is, or when `time` in milliseconds has passed. */
async function until(isTrue: () => Promise<boolean>, time: number): Promise<void> {
	const deadline = Date.now() + time;
	for (let wait = 5; !(await isTrue()) && Date.now() < deadline; wait = Math.min(wait * 1.5, 40)) {
		await sleep(wait);
	}
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
	const real = await Promise.all(folders.map(folder => realpath(folder).catch(() => undefined)));
	return [...new Set(real.filter(folder => folder !== undefined))];
}
