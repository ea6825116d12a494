import {readdirSync} from 'node:fs';
import {totalmem} from 'node:os';
import {availableMemory, countThreads, type Disk, readText} from '../../../containment/machine.ts';

/** How often it looks: two short reads. */
const intervalMs = 500;
/** It counts only after the machine has so many more threads, as a share of the limit. */
const countAfter = 0.25;
/** The shares of the memory that must be free on the machine, and that a command may use if less is. */
const minFree = 0.05;
const maxUsed = 0.5;

/** The space that a command must leave on the disk of the working folder, and what it may use in any case. */
const minFreeDiskBytes = 1024 ** 3;
const minFreeDisk = 0.05;
const mayUseBytes = 100 * 1024 ** 2;

type Options = {
	/** Returns the id of the first process in the sandbox, once it is known. */
	readonly init: () => number | undefined;
	readonly maxProcesses: number;
	/** Returns the state of the disk that it writes to; undefined if nobody knows. */
	readonly disk: () => Disk | undefined;
	/** Gets the limit that was exceeded. */
	readonly onExceeded: (limit: string) => void;
};

/**
 * Watches the limits of a sandbox that the kernel doesn't enforce: root has no limit of processes, and nobody one of memory
 * for several processes together, or one of the space that they use. Returns what ends it.
 */
export function watchLimits({init, maxProcesses, disk, onExceeded}: Options): () => void {
	const before = disk();
	const threads = countThreads();
	const timer = setInterval(() => {
		if (before && isFilled(before, disk())) {
			onExceeded('it nearly filled the disk');
			return;
		}

		const isFull = (availableMemory() ?? Number.POSITIVE_INFINITY) < totalmem() * minFree;
		if (!isFull && countThreads() < threads + maxProcesses * countAfter) {
			return;
		}

		const pids = processesIn(init());
		if (pids.length > maxProcesses) {
			onExceeded(`more than ${maxProcesses} processes`);
		} else if (isFull && memoryOf(pids) > totalmem() * maxUsed) {
			onExceeded('it used up the memory');
		}
	}, intervalMs);
	timer.unref();
	return () => clearInterval(timer);
}

/** True if hardly any space is left and much of it went since. */
function isFilled(before: Disk, now: Disk | undefined): boolean {
	return (
		now !== undefined &&
		now.freeBytes < Math.min(minFreeDiskBytes, now.sizeBytes * minFreeDisk) &&
		before.freeBytes - now.freeBytes > mayUseBytes
	);
}

/** Returns the status files of all processes that the first process of a sandbox sees. */
function processesIn(init: number | undefined): readonly string[] {
	const folder = `/proc/${init}/root/proc`;
	try {
		return readdirSync(folder)
			.filter(name => /^\d+$/.test(name))
			.map(pid => `${folder}/${pid}/status`);
	} catch {
		return [];
	}
}

function memoryOf(statusFiles: readonly string[]): number {
	return statusFiles.reduce((sum, file) => sum + 1024 * Number(/^RssAnon:\s*(\d+)/m.exec(readText(file))?.[1] ?? 0), 0);
}
