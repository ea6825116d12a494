import {createHash} from 'node:crypto';
import {formatMegabytes} from '../../../containment/containment.ts';
import {markerName} from '../../../containment/processes.ts';
import {formatNumber} from '../../../core/format.ts';
import {proxyVariables} from '../../egress/relay-script.ts';
import {defaultLimits} from '../local-launch.ts';
import type {SandboxSpec} from '../provider.ts';
import {volumeName} from './container-paths.ts';
import {entryOf, volumePath, workspacePath} from './entry-script.ts';

/** What a server decides about all its containers. */
export type ContainerOptions = {
	/** The image of tasks that name none. */
	readonly image?: string | undefined;
	/** The runtime of the engine, such as runsc; the engine's own by default. */
	readonly runtime?: string | undefined;
	/** The network of the engine for tasks with `network: open`. Its operator decides what is reachable there. */
	readonly openNetwork?: string | undefined;
	/** Private ranges that tasks with single hosts reach there, if those lead to them. */
	readonly openRanges?: readonly string[] | undefined;
	/** How long a sandbox may take to shut down. */
	readonly graceSeconds: number;
};

/** The labels of our containers: the sandbox, its organization, its volume, the number of its build steps, and its hosts. */
export const labels = {
	sandbox: 'service.sandbox',
	organization: 'service.organization',
	volume: 'service.volume',
	builds: 'service.builds',
	allow: 'service.allow',
};

/** Processors of a sandbox, as a share of time in microseconds. */
const cpuPeriod = 100_000;
const cpus = 2;

/** Open files of a process. */
const maxOpenFiles = 8192;

/**
 * How much of the log the engine keeps, in bytes of its own format. It then starts over, so that this is far beyond the
 * length at which we end a sandbox.
 */
const keptLog = '2g';

/** The fraction of the memory for its temporary files. */
const scratchFraction = 1 / 4;
const maxSharedBytes = 64 * 1024 ** 2;

/** Users of sandboxes, each with their own limit of processes. Engines may map no more than 65,536. */
const firstUser = 10_000;
const users = 50_000;

/** Returns the user of a sandbox, always the same one for a lasting workspace. */
export function userFor({id, workspace = id}: Pick<SandboxSpec, 'id' | 'workspace'>): number {
	return firstUser + (createHash('sha256').update(workspace).digest().readUInt32BE(0) % users);
}

/**
 * Returns the body of `POST /containers/create`. A sandbox has no network but its own loopback, where its services are
 * reached by relays inside, and hosts that its task allows through another one (SAFETY 15). Only its volume and /tmp are
 * writable.
 */
export function containerBody(spec: SandboxSpec, options: ContainerOptions, engine: string) {
	const {id, organization, build, network, image = options.image, limits: own} = spec;
	const {runtime, openNetwork, graceSeconds} = options;
	const limits = {...defaultLimits, ...own};
	const memory = limits.memoryBytes;
	const open = network === 'open' ? openNetwork : undefined;
	const allow = typeof network === 'object' ? network.allow : undefined;
	const closed = allow ? `its loopback, and from there only ${allow.join(', ')}` : 'no network but its own loopback';
	const reach = open === undefined ? closed : `the network ${open}`;
	const bounds = `${formatMegabytes(memory)} of memory, ${formatNumber(limits.processes)} processes and ${cpus} processors`;
	const label = `contained by ${engine}${runtime === undefined ? '' : ` with ${runtime}`}, image ${image}: ${bounds}; ${reach}`;
	const user = userFor(spec);
	const volume = volumeName(spec);
	const environment = {
		...spec.environment,
		...(allow && proxyVariables()),
		HOME: workspacePath,
		TMPDIR: '/tmp',
		[markerName]: id,
	};
	return {
		Image: image,
		Entrypoint: entryOf(spec, {label, memoryBytes: memory, processes: limits.processes, graceSeconds}),
		Cmd: [],
		User: `${user}:${user}`,
		WorkingDir: workspacePath,
		Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
		Labels: {
			[labels.sandbox]: id,
			[labels.organization]: organization,
			[labels.volume]: volume,
			[labels.builds]: String(build.length),
			...(allow && {[labels.allow]: JSON.stringify(allow)}),
		},
		Healthcheck: {Test: ['NONE']},
		StopTimeout: graceSeconds,
		NetworkDisabled: open === undefined,
		HostConfig: {
			NetworkMode: open ?? 'none',
			...(runtime !== undefined && {Runtime: runtime}),
			Mounts: [{Type: 'volume', Source: volume, Target: volumePath}],
			Memory: memory,
			MemorySwap: memory,
			PidsLimit: limits.processes,
			CpuPeriod: cpuPeriod,
			CpuQuota: cpus * cpuPeriod,
			ShmSize: Math.min(maxSharedBytes, Math.floor(memory * scratchFraction)),
			Ulimits: [
				ulimit('nofile', maxOpenFiles),
				// The group's limit comes first, because it counts what it refuses.
				ulimit('nproc', 2 * limits.processes),
				ulimit('fsize', limits.fileBytes),
				ulimit('core', 0),
			],
			ReadonlyRootfs: true,
			Tmpfs: {'/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(memory * scratchFraction)}`},
			CapDrop: ['ALL'],
			SecurityOpt: ['no-new-privileges'],
			IpcMode: 'private',
			LogConfig: {Type: 'json-file', Config: {'max-size': keptLog, 'max-file': '1'}},
		},
	};
}

const ulimit = (Name: string, limit: number) => ({Name, Soft: limit, Hard: limit});
