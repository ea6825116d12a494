import {rm} from 'node:fs/promises';
import {hostname} from 'node:os';
import {openCgroup} from '../../containment/cgroup.ts';
import {summaryOf} from '../../containment/containment.ts';
import {areStopped, endMembers, type Membership, signalMembers} from '../../containment/members.ts';
import {isAlive, sendSignal, stateLetter} from '../../containment/processes.ts';
import {once} from '../../core/once.ts';
import {
	createLauncher,
	defaultGraceMs,
	findUnavailableReason,
	type LaunchOptions,
	launch,
	refusalOf,
} from './local-launch.ts';
import {appendLine, readLogWindow} from './log-file.ts';
import {freePort, isListening, isListeningAt} from './ports.ts';
import type {SandboxProvider, SandboxState} from './provider.ts';
import {machineOf, readStatus, removeWork, type SandboxFolder, sandboxFolder, writeDeadline} from './sandbox-folder.ts';
import type {SupervisorStatus} from './supervisor/supervisor-plan.ts';
import {until} from './supervisor/until.ts';

/** How long all processes of a sandbox may take to stop, as a multiple of the time to end. */
const pauseGraces = 5;

/**
 * Creates a provider that runs sandboxes as processes of this machine, each in its own process group below a supervisor
 * that outlives the server, in bubblewrap if that works. Several servers on one machine can share a root.
 */
export function createLocalProvider(options: LaunchOptions): SandboxProvider {
	const {root, graceMs = defaultGraceMs} = options;
	const launcher = createLauncher(options);
	const unavailableReason = () => findUnavailableReason(launcher);
	const folderOf = (id: string) => sandboxFolder(root, id);
	const end = async (id: string): Promise<void> => {
		await endProcesses(id, folderOf(id), graceMs);
		await removeWork(folderOf(id));
	};

	return {
		name: 'local',
		supportsPause: process.platform !== 'win32',
		isShared: false,
		refusalOf: needs => refusalOf(launcher, needs),
		choosePort: freePort,
		unavailableReason,
		summary: async () =>
			summaryOf((await unavailableReason()) === undefined ? await launcher.findContainment() : undefined),
		start: spec => launch(launcher, spec),
		inspect: async id => await inspect(folderOf(id)),
		async pause(id) {
			const status = await readStatus(folderOf(id));
			if (!(await stopSandbox(id, status, graceMs * pauseGraces))) {
				await appendLine(folderOf(id).log, '[server] it does not stay paused, so it was ended');
				await end(id);
			}
		},
		async resume(id, deadline) {
			await writeDeadline(folderOf(id), deadline);
			await signalSandbox(id, await readStatus(folderOf(id)), 'SIGCONT');
		},
		async isListening(id, port) {
			const holder = (await readStatus(folderOf(id)))?.network?.holder.pid;
			return holder === undefined ? await isListening(port) : await isListeningAt(holder, port);
		},
		// Each port inside has a forwarder at the same port of this machine, which ends with the sandbox.
		async serviceAddress(id, port) {
			const {kind} = await inspect(folderOf(id));
			return kind === 'running' ? {host: '127.0.0.1', port} : undefined;
		},
		end,
		async remove(id) {
			await end(id);
			await rm(folderOf(id).path, {recursive: true, force: true});
		},
		// Retried after a failure: a full disk may have space later.
		machine: once(() => machineOf(root)),
		note: (id, line) => appendLine(folderOf(id).log, `[server] ${line}`),
		list: async () => [],
		readLog: (id, {after}) => readLogWindow(folderOf(id).log, after),
		close: async () => {},
	};
}

async function inspect(folder: SandboxFolder): Promise<SandboxState> {
	const seen = await readStatus(folder);
	const isLeft = seen === undefined || (seen.phase !== 'ended' && !(await isAlive(seen.supervisor)));
	// The supervisor's last action is to write how the sandbox ended, maybe between the two reads.
	const status = isLeft ? await readStatus(folder) : seen;
	if (status?.phase === 'ended') {
		const {exit, stopped} = status;
		return {kind: 'ended', step: exit?.step ?? '', status: exit?.status ?? null, requested: stopped ?? false};
	}

	if (!status || isLeft) {
		return {kind: 'gone'};
	}

	const letter = status.group && (await stateLetter(status.group.pid));
	return {kind: letter === 'T' ? 'paused' : status.phase};
}

const stopTimeoutMs = 1000;

/** Ends every process of a sandbox, and its supervisor if that takes longer than `graceMs`. */
async function endProcesses(id: string, folder: SandboxFolder, graceMs: number): Promise<void> {
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
async function signalSandbox(id: string, status: SupervisorStatus | undefined, name: NodeJS.Signals) {
	const membership = await membershipOf(id, status);
	if (membership) {
		signalMembers(membership, name);
	}
}

/** Stops every process of a sandbox. Returns false if some of them still wake others after the timeout. */
async function stopSandbox(id: string, status: SupervisorStatus | undefined, timeoutMs: number): Promise<boolean> {
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
