import {createHash} from 'node:crypto';
import {realpath, rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {once} from '../../core/once.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {thisProcess} from '../../storage/lock-owner.ts';
import {userOf} from './containment/bubblewrap.ts';
import {type Containment, findContainment, summaryOf} from './containment/containment.ts';
import {markOf} from './containment/launch-command.ts';
import {isAlive, stateLetter} from './containment/processes.ts';
import {appendLine, readLogWindow} from './log-file.ts';
import {isListening, isListeningAt} from './ports.ts';
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
import {endProcesses, signalSandbox} from './supervisor/end-sandbox.ts';
import {builtSupervisor, launchSupervisor} from './supervisor/launch-supervisor.ts';
import type {SupervisorPlan} from './supervisor/supervisor-plan.ts';
import {until} from './supervisor/until.ts';

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
	readonly isEphemeral?: boolean | undefined;
	/** Whether tasks may run with all rights of the server where nothing keeps them apart. */
	readonly allowUncontained?: boolean | undefined;
	/** What this machine keeps sandboxes apart with; found out otherwise. */
	readonly containment?: Containment;
	/** The built `supervisor.ts`. */
	readonly supervisor?: URL;
};

const defaults: SandboxLimits = {
	memoryBytes: 4 * 1024 ** 3,
	processes: 4096,
	cpuSeconds: 4 * 3600,
	fileBytes: 1024 ** 3,
	diskBytes: 4 * 1024 ** 3,
	logBytes: 8 * 1024 * 1024,
};

const segments = 8;

/** Longest wait in milliseconds for processes to stop. */
const stopTimeoutMs = 1000;

/** Why no sandbox starts here. */
const uncontained =
	'Sandboxes are off on this server: bubblewrap is missing or does not work there. Install it, or start the server with --unsafe-sandboxes.';

/**
 * Runs sandboxes as processes of this machine, each in its own process group below a supervisor that outlives the server,
 * in bubblewrap where that works. Several servers on one machine may share a root.
 */
export function createLocalProvider(options: Options): SandboxProvider {
	const {root, environment = process.env, hidden = [], grace = 2000, isEphemeral = false} = options;
	const {allowUncontained = false, supervisor = builtSupervisor} = options;
	const locate = (id: string) => sandboxFolder(root, id);
	const findHidden = once(() => existing(['/home', '/root', '/run', '/tmp', homedir(), root, ...hidden]));
	const containment = once(
		async () =>
			options.containment ?? (await findContainment(environment['PATH'] ?? standardPath.join(':'), await findHidden())),
	);

	const refusal = async () => {
		if (process.platform === 'win32') {
			return 'Sandboxes need Linux or macOS.';
		}

		return allowUncontained || (await containment()).bubblewrap ? undefined : uncontained;
	};

	const start = async (spec: SandboxSpec): Promise<void> => {
		const why = await refusal();
		if (why !== undefined) {
			throw new AppError('failed', why);
		}

		const found = await containment();
		const folder = locate(spec.id);
		const seed = seedOf(spec.workspace ?? spec.id);
		const user = found.bubblewrap?.setpriv === undefined ? undefined : userOf(seed);
		const workspace = await prepareFolder(folder, {...spec, user}).catch(error => {
			throw explainFileError(error, 'write', folder.path);
		});
		const plan = planOf(spec, {folder, workspace, found, covered: await findHidden()});
		await launchSupervisor(supervisor, folder, {...plan, ...(user !== undefined && {user})});
	};

	const planOf = (
		{id, build, command, environment: added, limits: own, ports = []}: SandboxSpec,
		{folder, workspace, found, covered}: Place,
	): SupervisorPlan => {
		const limits = {...defaults, ...own};
		return {
			id,
			folder: folder.path,
			steps: [...build, command],
			builds: build.length,
			cwd: workspace,
			environment: sandboxEnvironment(environment, {id, workspace, temporary: folder.temporary, added}),
			containment: found,
			writable: [workspace, folder.temporary],
			hidden: covered,
			ports,
			limits,
			mark: markOf(seedOf(id), limits.fileBytes),
			segmentBytes: Math.max(1, Math.floor(limits.logBytes / segments)),
			segments,
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

	const end = async (id: string): Promise<void> => {
		await endProcesses(id, locate(id), grace);
		await removeWork(locate(id));
	};

	return {
		name: 'local',
		supportsPause: process.platform !== 'win32',
		refusal,
		summary: async () => ((await refusal()) === undefined ? summaryOf(await containment()) : summaryOf(undefined)),
		start,
		inspect,
		async pause(id) {
			const status = await readStatus(locate(id));
			await signalSandbox(id, status, 'SIGSTOP');
			const group = status?.group;
			if (group) {
				await until(async () => ((await stateLetter(group.pid)) ?? 'T') === 'T', stopTimeoutMs);
			}
		},
		async resume(id, deadline) {
			await writeDeadline(locate(id), deadline);
			await signalSandbox(id, await readStatus(locate(id)), 'SIGCONT');
		},
		async isListening(id, port) {
			const holder = (await readStatus(locate(id)))?.network?.holder.pid;
			return holder === undefined ? await isListening(port) : await isListeningAt(holder, port);
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

type Place = {
	readonly folder: SandboxFolder;
	readonly workspace: string;
	readonly found: Containment;
	readonly covered: readonly string[];
};

/** A number in 0..2^32-1 that stays the same for the same text. */
function seedOf(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
	const real = await Promise.all(folders.map(folder => realpath(folder).catch(() => undefined)));
	return [...new Set(real.filter(folder => folder !== undefined))];
}
