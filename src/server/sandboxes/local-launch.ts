import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {open, readFile, realpath} from 'node:fs/promises';
import {homedir} from 'node:os';
import {dirname, isAbsolute, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {userOf} from '../../containment/bubblewrap.ts';
import {findContainment, type MachineContainment} from '../../containment/containment.ts';
import {markOf, type SandboxLimits} from '../../containment/launch.ts';
import {markerName} from '../../containment/processes.ts';
import {socketFolders} from '../../containment/service-sockets.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {once} from '../../core/once.ts';
import {isOfThisBuild} from '../../storage/built-script.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {withoutGaps} from '../../storage/inherited-descriptors.ts';
import {thisProcess} from '../../storage/lock-owner.ts';
import {proxyVariables} from '../egress/relay-script.ts';
import type {SandboxNeeds, SandboxSpec} from './provider.ts';
import {prepareFolder, readStatus, type SandboxFolder, sandboxFolder, workspaceFolder} from './sandbox-folder.ts';
import type {SupervisorPlan} from './supervisor/supervisor-plan.ts';
import {until} from './supervisor/until.ts';

export type LaunchOptions = {
	/** The parent of the sandbox folders; created if it is missing. */
	readonly root: string;
	/** The parent of workspaces that outlive their sandboxes; by default beside the root. */
	readonly workspaces?: string;
	/** The environment that the allow-list picks from. */
	readonly environment?: Environment;
	/** More folders that a sandbox must not read: the server's data. */
	readonly hidden?: readonly string[];
	readonly graceMs?: number;
	/** Whether sandboxes end with this process, because nothing will manage them afterwards. */
	readonly isEphemeral?: boolean | undefined;
	/** Whether tasks may run with the server's own permissions if containment isn't available. */
	readonly allowUncontained?: boolean | undefined;
	/** Returns what this machine contains sandboxes with; detects it by default. */
	readonly findContainment?: () => Promise<MachineContainment>;
	/** Private ranges that tasks with single hosts reach, if those lead to them. */
	readonly openRanges?: readonly string[] | undefined;
	/** The built `supervisor.ts`. */
	readonly supervisor?: URL;
};

/** How long a sandbox may take to end before it is killed, by default. */
export const defaultGraceMs = 2000;

/** What every start of a sandbox needs to know about this machine, detected once. */
type Launcher = {
	readonly options: LaunchOptions;
	readonly environment: Environment;
	readonly findHidden: () => Promise<readonly string[]>;
	readonly findContainment: () => Promise<MachineContainment>;
};

/** Limits of a sandbox whose task names no others. */
export const defaultLimits: SandboxLimits = {
	memoryBytes: 4 * 1024 ** 3,
	processes: 4096,
	cpuSeconds: 4 * 3600,
	fileBytes: 1024 ** 3,
	diskBytes: 4 * 1024 ** 3,
	logBytes: 8 * 1024 * 1024,
};

const logSegments = 8;

/** Creates a launcher, which detects nothing before its first use. */
export function createLauncher(options: LaunchOptions): Launcher {
	const {root, environment = process.env, hidden = []} = options;
	const path = environment['PATH'] ?? standardPath.join(':');
	const findHidden = once(() =>
		existingFolders(['/home', '/root', '/tmp', ...socketFolders, homedir(), root, ...hidden]),
	);
	return {
		options,
		environment,
		findHidden,
		findContainment: options.findContainment ?? once(async () => await findContainment(path, await findHidden())),
	};
}

/** Returns why no sandbox starts on this machine; undefined if sandboxes start. */
export async function findUnavailableReason(launcher: Launcher): Promise<string | undefined> {
	if (process.platform === 'win32') {
		return 'Sandboxes need Linux or macOS.';
	}

	return launcher.options.allowUncontained || (await launcher.findContainment()).bubblewrap
		? undefined
		: 'Sandboxes are off on this server: bubblewrap is missing or does not work there. Install it, or start the server with --unsafe-sandboxes.';
}

/** Returns why this machine can't run a task as that asks; undefined if it can. */
export async function refusalOf(launcher: Launcher, {image, network}: SandboxNeeds): Promise<string | undefined> {
	if (image !== undefined) {
		return 'The task names an image, which needs a server started with `--engine docker` or `--engine kubernetes`.';
	}

	return network === undefined || network === 'open' || (await launcher.findContainment()).network
		? undefined
		: 'The task limits its network, which needs bubblewrap, pasta (package passt) and ip on the server’s machine.';
}

/** Starts a sandbox. Throws `AppError("failed")` if this machine starts none, or if its folder can't be written. */
export async function launch(launcher: Launcher, spec: SandboxSpec): Promise<void> {
	const reason = await findUnavailableReason(launcher);
	if (reason !== undefined) {
		throw new AppError('failed', reason);
	}

	const refusal = await refusalOf(launcher, spec);
	if (refusal !== undefined) {
		throw new AppError('failed', refusal);
	}

	const containment = await launcher.findContainment();
	const folder = sandboxFolder(launcher.options.root, spec.id);
	const user = containment.bubblewrap?.setpriv === undefined ? undefined : userOf(hashOf(spec.workspace ?? spec.id));
	const {root, workspaces = join(dirname(root), 'workspaces')} = launcher.options;
	const lasting = spec.workspace === undefined ? undefined : workspaceFolder(workspaces, spec.workspace);
	const workspace = await prepareFolder(folder, {...spec, workspace: lasting, user}).catch(error => {
		throw explainFileError(error, 'write', folder.path);
	});
	const plan = planOf(launcher, spec, {folder, workspace, containment, hidden: await launcher.findHidden()});
	await launchSupervisor(launcher.options.supervisor ?? builtSupervisor, folder, {
		...plan,
		...(user !== undefined && {user}),
	});
}

type LaunchPaths = {
	readonly folder: SandboxFolder;
	readonly workspace: string;
	readonly containment: MachineContainment;
	readonly hidden: readonly string[];
};

function planOf(
	{options: {graceMs = defaultGraceMs, isEphemeral = false, openRanges = []}, environment}: Launcher,
	{id, build, command, environment: given, limits: own, ports = [], network}: SandboxSpec,
	{folder, workspace, containment, hidden}: LaunchPaths,
): SupervisorPlan {
	const limits = {...defaultLimits, ...own};
	const allow = network === undefined || network === 'open' ? undefined : allowedHosts(network);
	const added = {...given, ...(allow && allow.length > 0 && proxyVariables())};
	return {
		id,
		folder: folder.path,
		steps: [...build, command],
		builds: build.length,
		cwd: workspace,
		environment: sandboxEnvironment(environment, {id, workspace, temporary: folder.temporary, added}),
		containment,
		writable: [workspace, folder.temporary],
		hidden,
		ports,
		...(allow && {egress: {allow, openRanges}}),
		limits,
		mark: markOf(hashOf(id), limits.fileBytes),
		segmentBytes: Math.max(1, Math.floor(limits.logBytes / logSegments)),
		segments: logSegments,
		graceMs,
		...(isEphemeral && {owner: thisProcess()}),
	};
}

const allowedHosts = (network: Exclude<SandboxSpec['network'], undefined | 'open'>): readonly string[] =>
	typeof network === 'object' ? network.allow : [];

/** Returns a number in 0..2^32-1 that is always the same for the same text. */
function hashOf(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

async function existingFolders(folders: readonly string[]): Promise<readonly string[]> {
	const real = await Promise.all(folders.map(folder => realpath(folder).catch(() => undefined)));
	return [...new Set(real.filter(folder => folder !== undefined))];
}

/** The default PATH. */
export const standardPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Variables for language and time zone, which never contain secrets. */
const allowed = /^(?:LANG|LC_[A-Z]+|TZ)$/;

type Options = {
	readonly id: string;
	readonly workspace: string;
	readonly temporary: string;
	/** Variables of the task; they can't replace the ones set here. */
	readonly added: Readonly<Record<string, string>>;
};

/**
 * Returns the environment of a sandbox (SAFETY 15): an allow-list of the server's own, so that no key is passed on.
 * `node` is the one that runs the server; home and temporary folder are inside the sandbox.
 */
function sandboxEnvironment(env: Environment, {id, workspace, temporary, added}: Options) {
	const kept = Object.entries(env).flatMap(([name, value]) =>
		value !== undefined && allowed.test(name) ? [[name, value]] : [],
	);
	const own = (env['PATH'] ?? '').split(':').filter(isAbsolute);
	return {
		...added,
		...(Object.fromEntries(kept) as Record<string, string>),
		PATH: [...new Set([dirname(process.execPath), ...(own.length > 0 ? own : standardPath)])].join(':'),
		HOME: workspace,
		TMPDIR: temporary,
		[markerName]: id,
	};
}

/** A busy machine takes its time; a supervisor that ends is told of at once. */
const startTimeoutMs = 60_000;

/**
 * The supervisor is beside the bundle that contains this module, and one level above a shared chunk. Sources use the
 * last build.
 */
const builtFolder = import.meta.url.endsWith('.ts')
	? '../../../dist'
	: import.meta.url.includes('/chunks/')
		? '..'
		: '.';
const builtSupervisor = new URL(`${builtFolder}/sandbox-supervisor.mjs`, import.meta.url);

/**
 * Starts the supervisor of a sandbox, which outlives this process. Throws AppError("failed") if it doesn't start, or is that of
 * another build.
 */
async function launchSupervisor(supervisor: URL, folder: SandboxFolder, plan: SupervisorPlan): Promise<void> {
	if (!(await isOfThisBuild(supervisor))) {
		throw new AppError('failed', 'service was changed on disk while it was running. Restart it to start sandboxes.');
	}

	const args = ['--max-old-space-size=64', fileURLToPath(supervisor)];
	// A file, because the supervisor outlives this process and would fail to write to a closed pipe.
	const errors = await open(errorsOf(folder), 'w', 0o600).catch(error => {
		throw explainFileError(error, 'write', folder.path);
	});
	const child = withoutGaps(['pipe', 'ignore', errors.fd], stdio =>
		spawn(process.execPath, args, {
			cwd: '/',
			env: {},
			stdio,
			detached: true,
		}),
	);
	await errors.close();
	let fault: string | undefined;
	child.once('error', error => {
		fault = error.message;
	});
	child.once('exit', status => {
		fault ??= `its supervisor ended with status ${status}`;
	});
	child.stdin?.on('error', () => undefined);
	child.stdin?.end(JSON.stringify(plan));
	child.unref();
	await until(async () => fault !== undefined || (await readStatus(folder)) !== undefined, startTimeoutMs);
	if (!(await readStatus(folder))) {
		child.kill('SIGKILL');
		throw new AppError('failed', `The sandbox could not start: ${fault ?? 'its supervisor did not respond'}.`, {
			cause: await readFile(errorsOf(folder), 'utf8').catch(() => undefined),
		});
	}
}

/** Returns the path of the supervisor's standard error, to which only a crash writes. */
const errorsOf = (folder: SandboxFolder): string => join(folder.path, 'supervisor-errors.log');
