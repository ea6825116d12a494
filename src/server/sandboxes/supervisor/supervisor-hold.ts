import {setPriority} from 'node:os';
import {identityOf} from '../../../storage/lock-owner.ts';
import {bubblewrapArguments, dropArguments} from '../containment/bubblewrap.ts';
import {type Cgroup, createCgroup} from '../containment/cgroup.ts';
import {scopeCommand} from '../containment/cgroup-place.ts';
import {launchCommand} from '../containment/launch-command.ts';
import {type Network, openNetwork} from '../containment/network.ts';
import type {SandboxStep} from '../provider.ts';
import type {SupervisorPlan, SupervisorStatus} from './supervisor-plan.ts';

/** What holds a sandbox while it runs. */
export type Hold = {
	readonly network: Network | undefined;
	readonly cgroup: Cgroup | undefined;
	/** Whether the kernel bounds memory and processes of the whole. */
	readonly isHeld: boolean;
	/** For who ends what is left of it when this process is gone. */
	readonly known: Pick<SupervisorStatus, 'cgroup' | 'network'>;
	readonly commandOf: (step: SandboxStep) => readonly string[];
	readonly close: () => void;
};

/** The processes that keep it apart count as well. */
const ownProcesses = 8;

/** The part of the memory that each of its two temporary file systems may take. */
const scratchPart = 1 / 4;

/** Ahead of everything that a sandbox does, where that is allowed (a niceness). */
const priority = -10;

/** Creates the control group and the network of a sandbox, as far as this machine supports them. */
export async function prepareHold(plan: SupervisorPlan): Promise<Hold> {
	const {id, folder, ports, containment, limits} = plan;
	const {cgroups, network: tools} = containment;
	raisePriority();
	const network = tools && (await openNetwork(tools, {folder, ports}));
	const bounds = {memoryBytes: limits.memoryBytes, processes: limits.processes + ownProcesses};
	const cgroup = cgroups?.kind === 'folders' ? createCgroup(cgroups, id, bounds) : undefined;
	const scope = cgroups?.kind === 'systemd' ? scopeCommand(cgroups, bounds) : [];
	return {
		network,
		cgroup,
		isHeld: cgroup !== undefined || scope.length > 0,
		known: {
			...(cgroup && {cgroup: cgroup.folders}),
			...(network && {network: {holder: identityOf(network.holder), carrier: identityOf(network.carrier)}}),
		},
		commandOf: ({command}) =>
			launchCommand(command, {
				limits,
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
	{containment: {bubblewrap}, writable, hidden, cwd, limits, user}: SupervisorPlan,
	network: Network | undefined,
): readonly string[] {
	if (!bubblewrap) {
		return [];
	}

	const args = bubblewrapArguments(bubblewrap, {
		writable,
		hidden,
		temporary: writable.at(-1) ?? cwd,
		scratchBytes: Math.floor(limits.memoryBytes * scratchPart),
		...(network && {resolver: network.resolver}),
	});
	return [bubblewrap.program, ...args, '--', ...dropArguments(bubblewrap, user)];
}

function raisePriority(): void {
	try {
		setPriority(priority);
	} catch {
		// Only root may.
	}
}
