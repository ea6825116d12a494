import {formatMegabytes} from '../../../containment/containment.ts';
import {diskUseOf, maxFiles} from '../../../containment/disk-use.ts';
import type {SandboxLimits} from '../../../containment/launch.ts';
import {availableMemory, countThreads, diskOf} from '../../../containment/machine.ts';
import {type Membership, membersOf} from '../../../containment/members.ts';
import {memoryUseOf} from '../../../containment/memory-use.ts';
import {formatNumber} from '../../../core/format.ts';

type Options = {
	readonly limits: SandboxLimits;
	/** The folders to measure. */
	readonly folders: readonly string[];
	readonly membership: () => Membership;
	/** Whether the kernel limits memory and processes. */
	readonly isLimited: boolean;
	readonly note: (text: string) => void;
	/** Ends the sandbox for a reason. */
	readonly stop: (why: string) => void;
};

/** How often it checks whether to measure: three short reads. */
const intervalMs = 100;

/** Measures at least this often. */
const maxIntervalMs = 10_000;

/** The fraction of a limit that may be used before it measures again. */
const measureFraction = 1 / 8;

/** Ends a sandbox that exceeds a limit which the kernel doesn't enforce. Measures only after changes. */
export function watchLimits({limits, folders, membership, isLimited, note, stop}: Options): {
	readonly close: () => void;
} {
	const {processes, memoryBytes, diskBytes} = limits;
	const hasMoreTasks = createTrigger(countThreads(), processes * measureFraction);
	const hasLessMemory = createTrigger(-(availableMemory() ?? 0), memoryBytes * measureFraction);
	const hasLessDisk = createTrigger(-freeDisk(folders[0]), diskBytes * measureFraction);
	let isCounting = false;
	let kills = 0;

	const countDisk = async () => {
		isCounting = true;
		const {bytes, files} = await diskUseOf(folders, membersOf(membership()));
		isCounting = false;
		if (bytes > diskBytes) {
			stop(`it uses more than ${formatMegabytes(diskBytes)} of disk`);
		} else if (files > maxFiles) {
			stop(`it has more than ${formatNumber(maxFiles)} files`);
		}
	};

	const check = () => {
		if (!isLimited && hasMoreTasks(countThreads()) && membersOf(membership()).length > processes) {
			stop(`it has more than ${processes} processes`);
		}

		if (!isLimited && hasLessMemory(-(availableMemory() ?? 0)) && memoryUseOf(membersOf(membership())) > memoryBytes) {
			stop(`it uses more than ${formatMegabytes(memoryBytes)} of memory`);
		}

		if (hasLessDisk(-freeDisk(folders[0])) && !isCounting) {
			void countDisk();
		}

		const killed = membership().cgroup?.memoryKills() ?? 0;
		if (killed > kills) {
			kills = killed;
			note(`the system killed a process: ${formatMegabytes(memoryBytes)} of memory are used up`);
		}
	};

	const timer = setInterval(check, intervalMs);
	return {close: () => clearInterval(timer)};
}

/** Returns a function that is true if a value has grown by `step` since the last time, or after a while. */
function createTrigger(first: number, step: number): (value: number) => boolean {
	let [base, at] = [first, Date.now()];
	return value => {
		if (value - base > step || Date.now() - at > maxIntervalMs) {
			[base, at] = [value, Date.now()];
			return true;
		}

		base = Math.min(base, value);
		return false;
	};
}

/** Returns the free bytes of the disk of a folder; 0 if nobody knows. */
function freeDisk(folder = '/'): number {
	return diskOf(folder)?.freeBytes ?? 0;
}
