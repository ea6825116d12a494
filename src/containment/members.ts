import {existsSync, readdirSync} from 'node:fs';
import {readProcessStat} from '../storage/lock-owner.ts';
import type {Cgroup} from './cgroup.ts';
import {isMarked} from './launch.ts';
import {readText} from './machine.ts';
import {markerName, type ProcessIdentity, sendSignal} from './processes.ts';

/** How to recognize the processes of a sandbox. */
export type Membership = {
	readonly id: string;
	/** Processes that started before it never belong to the sandbox. */
	readonly supervisor: ProcessIdentity;
	/** The leader of the current step's group, while it runs. Must be a valid process id. */
	readonly leader?: number | undefined;
	/** The hard limit of file sizes that only its processes have. */
	readonly mark?: number | undefined;
	readonly cgroup?: Cgroup | undefined;
};

type Process = {
	readonly pid: number;
	readonly parent: number;
	readonly group: number;
	readonly session: number;
};

/** Rounds of stopping: each finds the processes started during the previous one. */
const maxRounds = 100;

/**
 * Returns the processes of a sandbox: those in its cgroup, in its leader's group or session, their descendants, and
 * those with its mark. A program keeps the mark whatever it does with its group, session, parent and environment. Empty
 * without `/proc`. Calls `onFound` for each one immediately.
 */
export function membersOf(membership: Membership, onFound: (pid: number) => void = () => {}): readonly number[] {
	const {id, supervisor, mark, cgroup} = membership;
	const leader = leaderOf(membership);
	const held = new Set(cgroup?.members());
	const own = new Set<number>();
	const processes: Process[] = [];
	const add = (pid: number) => {
		own.add(pid);
		onFound(pid);
	};
	for (const found of listProcesses(supervisor)) {
		const {pid, group, session} = found;
		processes.push(found);
		const isLed = leader !== undefined && [pid, group, session].includes(leader);
		if (isLed || held.has(pid) || hasMark(pid, id, mark)) {
			add(pid);
		}
	}

	for (let before = -1; before < own.size; ) {
		before = own.size;
		for (const {pid, parent} of processes) {
			if (own.has(parent) && !own.has(pid)) {
				add(pid);
			}
		}
	}

	return [...own];
}

/** Ends every process of a sandbox. All are stopped first, so that fork bombs can't outrun it. */
export function endMembers(membership: Membership): void {
	const allowForks = membership.cgroup?.blockForks();
	signalLeader(membership, 'SIGKILL');
	const stopped = new Set<number>();
	for (let round = 0, before = -1; round < maxRounds && before < stopped.size; round += 1) {
		before = stopped.size;
		membersOf(membership, pid => {
			if (!stopped.has(pid)) {
				sendSignal(pid, 'SIGSTOP');
				stopped.add(pid);
			}
		});
	}

	for (const pid of stopped) {
		sendSignal(pid, 'SIGKILL');
	}

	allowForks?.();
}

/** Sends a signal to every process of a sandbox. */
export function signalMembers(membership: Membership, name: NodeJS.Signals): void {
	signalLeader(membership, name);
	membersOf(membership, pid => sendSignal(pid, name));
}

/**
 * Sends SIGTERM to the programs of a sandbox. Where they have process ids of their own, what contains them gets none: it would
 * end them with it, before they can shut down.
 */
export function terminateMembers(membership: Membership): void {
	const members = membersOf(membership);
	const own = countIds('self');
	const contained = members.filter(pid => countIds(pid) > own);
	if (contained.length === 0) {
		signalMembers(membership, 'SIGTERM');
	}

	for (const pid of contained) {
		sendSignal(pid, 'SIGTERM');
	}
}

/** Returns how many ids a process has: one in each namespace of process ids, from that of `/proc` to its own. */
const countIds = (pid: number | 'self') =>
	/^NSpid:((?:\s+\d+)+)/m
		.exec(readText(`/proc/${pid}/status`))?.[1]
		?.trim()
		.split(/\s+/).length ?? 1;

/** Returns whether no process of a sandbox can run. One that was stopped last may have woken those before it. */
export function areStopped(membership: Membership): boolean {
	return membersOf(membership).every(pid => {
		const [state = 'X'] = readProcessStat(pid) ?? [];
		// A process whose child was stopped before it started a program waits in state D.
		return 'TtDX'.includes(state);
	});
}

/** Returns the leader if it is valid. Group 0 is the kernel's, and signaling it would signal our own group. */
function leaderOf({leader}: Membership): number | undefined {
	return leader !== undefined && leader > 1 ? leader : undefined;
}

/** The only way without `/proc`. */
function signalLeader(membership: Membership, name: NodeJS.Signals): void {
	const leader = leaderOf(membership);
	if (leader !== undefined) {
		sendSignal(-leader, name);
	}
}

/** Yields the processes that started with or after a supervisor, except itself and ended ones. */
function* listProcesses({pid: supervisor, started}: ProcessIdentity): Generator<Process> {
	if (started === undefined || !existsSync('/proc')) {
		return;
	}

	for (const name of readdirSync('/proc')) {
		const pid = Number(name);
		// Never the init process of a machine or container.
		if (pid > 1 && pid !== supervisor && pid !== process.pid) {
			yield* readProcess(pid, Number(started));
		}
	}
}

function readProcess(pid: number, since: number): readonly Process[] {
	const fields = readProcessStat(pid) ?? [];
	const [state, parent, group, session] = fields;
	const isCandidate = state !== undefined && state !== 'Z' && Number(fields[19]) >= since;
	return isCandidate ? [{pid, parent: Number(parent), group: Number(group), session: Number(session)}] : [];
}

function hasMark(pid: number, id: string, mark: number | undefined): boolean {
	return (
		(mark !== undefined && isMarked(readText(`/proc/${pid}/limits`), mark)) ||
		readText(`/proc/${pid}/environ`).split('\0').includes(`${markerName}=${id}`)
	);
}
