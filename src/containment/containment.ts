import {accessSync, constants} from 'node:fs';
import {formatNumber} from '../core/format.ts';
import {type Bubblewrap, bubblewrapArguments, dropArguments, taskPolicy, userOf} from './bubblewrap.ts';
import {type CgroupLocation, findCgroupLocation} from './cgroup-location.ts';
import {findBubblewrap, programsOf} from './find-bubblewrap.ts';
import type {SandboxLimits} from './launch.ts';
import {findNetworkTools, type NetworkTools} from './network.ts';

/** The means of this machine to contain sandboxes. */
export type MachineContainment = {
	readonly bubblewrap?: Bubblewrap;
	readonly cgroups?: CgroupLocation;
	readonly network?: NetworkTools;
	/** What a network for each sandbox lacks. */
	readonly networkLacks?: readonly string[];
};

/** Detects what is available in the folders of `path`, with these folders hidden. */
export async function findContainment(path: string, hidden: readonly string[]): Promise<MachineContainment> {
	if (process.platform !== 'linux') {
		return {};
	}

	const [bubblewrap, cgroups] = await Promise.all([findTaskBubblewrap(path, hidden), findCgroupLocation(path)]);
	const network = findNetworkTools(path, {
		execute: file => isAccessible(file, constants.X_OK),
		write: file => isAccessible(file, constants.W_OK),
	});
	return {
		...(bubblewrap && {bubblewrap}),
		...(cgroups && {cgroups}),
		// A program without containment could leave its network.
		...('missing' in network ? {networkLacks: network.missing} : bubblewrap && {network}),
	};
}

/** Returns the bubblewrap in PATH that can contain tasks with these folders hidden; undefined if there is none. */
export async function findTaskBubblewrap(path: string, hidden: readonly string[]): Promise<Bubblewrap | undefined> {
	const task = {writable: [], hidden, temporary: '/tmp', scratchBytes: 1024 ** 2};
	const found = await findBubblewrap({
		programs: programsOf(path, 'bwrap'),
		setprivs: programsOf(path, 'setpriv'),
		mayLackFilter: false,
		argumentsFor: candidate => [
			...bubblewrapArguments(candidate, taskPolicy(candidate, task)),
			'--',
			...dropArguments(candidate, userOf(0)),
			process.execPath,
			'--version',
		],
	});
	return 'why' in found ? undefined : found;
}

/** Returns the first line of a log: what contains the sandbox, and what is open. */
export function describeContainment(
	{bubblewrap, cgroups}: MachineContainment,
	{
		hasNetwork,
		isLimited,
		allow,
	}: {
		readonly hasNetwork: boolean;
		readonly isLimited: boolean;
		/** The only hosts that it reaches. */
		readonly allow?: readonly string[] | undefined;
	},
	{memoryBytes, processes, diskBytes}: SandboxLimits,
): string {
	const containment = bubblewrap
		? `contained by bubblewrap${bubblewrap.setpriv ? ' as its own user' : ''}: only its workspace and /tmp are writable, homes are hidden`
		: 'NOT contained: bubblewrap is missing or does not work here, so this runs with the permissions of the server';
	const enforcer = !isLimited ? 'a watcher' : cgroups?.kind === 'systemd' ? 'systemd' : 'control groups';
	const limited = `${formatMegabytes(memoryBytes)} of memory and ${formatNumber(processes)} processes limited by ${enforcer}, ${formatMegabytes(diskBytes)} of disk by a watcher`;
	const closed = allow?.length === 0 ? 'it reaches no network' : `it reaches only ${allow?.join(', ')}`;
	const network = hasNetwork
		? allow
			? closed
			: 'it has its own network'
		: 'the network is OPEN: it reaches services on loopback, other sandboxes and 169.254.0.0/16';
	return [containment, limited, network].join('; ');
}

/** Returns what the server prints at its start; undefined means that no sandbox starts. */
export function summaryOf(found: MachineContainment | undefined): string {
	if (!found) {
		return 'off: install bubblewrap, or start with --unsafe-sandboxes';
	}

	const {bubblewrap, cgroups, network, networkLacks = ['pasta']} = found;
	if (!bubblewrap) {
		return 'NOT contained: every task has the permissions of this server';
	}

	const missing = [...(cgroups ? [] : ['control groups']), ...(network ? [] : networkLacks)];
	const open = network ? '' : ', so networks are open';
	return `contained by bubblewrap${missing.length > 0 ? ` (missing: ${missing.join(', ')}${open})` : ''}`;
}

/** Formats a size as tasks do: 512 · 1024 · 1024 bytes are `512 MB`. */
export function formatMegabytes(bytes: number): string {
	return `${formatNumber(Math.round(bytes / 1024 ** 2))} MB`;
}

function isAccessible(path: string, mode: number): boolean {
	try {
		accessSync(path, mode);
		return true;
	} catch {
		return false;
	}
}
