import {hostname} from 'node:os';
import {openCgroup} from '../../../containment/cgroup.ts';
import {areStopped, endMembers, type Membership, signalMembers} from '../../../containment/members.ts';
import {isAlive, sendSignal} from '../../../containment/processes.ts';
import {readStatus, type SandboxFolder} from '../sandbox-folder.ts';
import type {SupervisorStatus} from './supervisor-plan.ts';
import {until} from './until.ts';

const stopTimeoutMs = 1000;

/** Ends every process of a sandbox, and its supervisor if that takes longer than `graceMs`. */
export async function endProcesses(id: string, folder: SandboxFolder, graceMs: number): Promise<void> {
	const supervisor = (await readStatus(folder))?.supervisor;
	if (supervisor && (await isAlive(supervisor))) {
		sendSignal(supervisor.pid, 'SIGTERM');
		await until(async () => !(await isAlive(supervisor)), graceMs + stopTimeoutMs);
		if (await isAlive(supervisor)) {
			sendSignal(supervisor.pid, 'SIGKILL');
		}
	}

	await endRest(id, await readStatus(folder));
}

/**
 * Returns how to recognize a sandbox's processes, as its supervisor recorded it; undefined if that was on another
 * machine.
 */
async function membershipOf(id: string, status: SupervisorStatus | undefined): Promise<Membership | undefined> {
	if (status?.supervisor.host !== hostname()) {
		return undefined;
	}

	const {supervisor, group, mark, cgroup} = status;
	const leader = group && (await isAlive(group)) ? group.pid : undefined;
	return {id, supervisor, mark, leader, cgroup: cgroup && openCgroup(cgroup)};
}

/** Sends a signal to every process of a sandbox. */
export async function signalSandbox(id: string, status: SupervisorStatus | undefined, name: NodeJS.Signals) {
	const membership = await membershipOf(id, status);
	if (membership) {
		signalMembers(membership, name);
	}
}

/** Stops every process of a sandbox. Returns false if some of them still wake others after the timeout. */
export async function stopSandbox(
	id: string,
	status: SupervisorStatus | undefined,
	timeoutMs: number,
): Promise<boolean> {
	const membership = await membershipOf(id, status);
	let isStopped = membership === undefined;
	await until(async () => {
		if (membership && !isStopped) {
			signalMembers(membership, 'SIGSTOP');
			isStopped = areStopped(membership);
		}

		return isStopped;
	}, timeoutMs);
	return isStopped;
}

/** Ends what a sandbox without a supervisor left behind. */
async function endRest(id: string, status: SupervisorStatus | undefined): Promise<void> {
	const membership = await membershipOf(id, status);
	if (!membership) {
		return;
	}

	endMembers(membership);
	for (const helper of Object.values(status?.network ?? {})) {
		if (await isAlive(helper)) {
			sendSignal(helper.pid, 'SIGKILL');
		}
	}

	const {cgroup} = membership;
	if (cgroup) {
		await until(async () => cgroup.remove(), stopTimeoutMs);
	}
}
