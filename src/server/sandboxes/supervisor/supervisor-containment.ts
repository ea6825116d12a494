import {writeFileSync} from 'node:fs';
import {setPriority} from 'node:os';
import {join} from 'node:path';
import {type Bubblewrap, bubblewrapArguments, dropArguments, taskPolicy} from '../../../containment/bubblewrap.ts';
import {reportOptions} from '../../../containment/bubblewrap-report.ts';
import {type Cgroup, createCgroup} from '../../../containment/cgroup.ts';
import {scopeCommand} from '../../../containment/cgroup-location.ts';
import {launchCommand} from '../../../containment/launch.ts';
import {type Network, openNetwork} from '../../../containment/network.ts';
import {serviceSockets} from '../../../containment/service-sockets.ts';
import {systemCallFilter} from '../../../containment/system-call-filter.ts';
import {identityOf} from '../../../storage/lock-owner.ts';
import type {SandboxStep} from '../provider.ts';
import type {SupervisorPlan, SupervisorStatus} from './supervisor-plan.ts';

/** What contains a sandbox while it runs. */
export type ActiveContainment = {
	readonly network: Network | undefined;
	readonly cgroup: Cgroup | undefined;
	/** Whether the kernel limits memory and processes of the whole sandbox. */
	readonly isLimited: boolean;
	/** For another process that must end it after this one is gone. */
	readonly recorded: Pick<SupervisorStatus, 'cgroup' | 'network'>;
	readonly commandOf: (step: SandboxStep) => readonly string[];
	readonly close: () => void;
};

/** The containing processes count, too. */
const overheadProcesses = 8;

/** The fraction of the memory for each of its two temporary file systems. */
const scratchFraction = 1 / 4;

/** Higher than every process of a sandbox, if allowed (a niceness). */
const priority = -10;

/** Creates the cgroup and the network of a sandbox, as far as this machine supports them. */
export async function setUpContainment(plan: SupervisorPlan): Promise<ActiveContainment> {
	const {id, folder, ports, containment, limits} = plan;
	const {cgroups, network: tools} = containment;
	raisePriority();
	const isClosed = plan.egress !== undefined;
	const network = tools && (await openNetwork(tools, {folder, ports, isClosed}));
	const bounds = {memoryBytes: limits.memoryBytes, processes: limits.processes + overheadProcesses};
	const cgroup = cgroups?.kind === 'folders' ? createCgroup(cgroups, id, bounds) : undefined;
	const scope = cgroups?.kind === 'systemd' ? scopeCommand(cgroups, bounds) : [];
	return {
		network,
		cgroup,
		isLimited: cgroup !== undefined || scope.length > 0,
		recorded: {
			...(cgroup && {cgroup: cgroup.folders}),
			...(network && {network: {holder: identityOf(network.holder), carrier: identityOf(network.carrier)}}),
		},
		commandOf: ({command}) =>
			launchCommand(command, {
				// The kernel looks at the limit of a user first, and doesn't count what that refuses.
				limits: cgroup ? {...limits, processes: 2 * limits.processes} : limits,
				mark: plan.mark,
				cwd: plan.cwd,
				entries: cgroup?.entries ?? [],
				wrapper: [...scope, ...(network?.enter ?? []), ...wrapperOf(plan, network)],
			}),
		close() {
			network?.close();
			cgroup?.remove();
		},
	};
}

function wrapperOf(
	{containment: {bubblewrap}, folder, writable, hidden, cwd, limits, user}: SupervisorPlan,
	network: Network | undefined,
): readonly string[] {
	if (!bubblewrap) {
		return [];
	}

	const unseen = ['/tmp', ...hidden, ...writable];
	const policy = taskPolicy(bubblewrap, {
		writable,
		hidden,
		sockets: serviceSockets(path => !unseen.some(place => path.startsWith(`${place}/`))),
		temporary: writable.at(-1) ?? cwd,
		scratchBytes: Math.floor(limits.memoryBytes * scratchFraction),
		...(network && {resolver: network.resolver}),
	});
	return [
		...filtered(bubblewrap, folder),
		...reportOptions,
		...bubblewrapArguments(bubblewrap, policy),
		'--',
		...dropArguments(bubblewrap, user),
	];
}

/** Starts bubblewrap with the filter in a file, which it reads from a descriptor. */
const filterScript = 'exec 9<"$0"; program=$1; shift; exec "$program" --seccomp 9 "$@"';

/** Returns how bubblewrap begins: with the filter of system calls that commands of the agent have, too. */
function filtered({program, takesFilter}: Bubblewrap, folder: string): readonly string[] {
	const filter = takesFilter ? systemCallFilter() : undefined;
	if (!filter) {
		return [program];
	}

	const file = join(folder, 'filter.bpf');
	writeFileSync(file, filter, {mode: 0o600});
	return ['/bin/sh', '-c', filterScript, file, program];
}

function raisePriority(): void {
	try {
		setPriority(priority);
	} catch {
		// Only root may raise it.
	}
}
