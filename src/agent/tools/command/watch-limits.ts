import {readdirSync, readFileSync, statfsSync} from 'node:fs';
import {totalmem} from 'node:os';

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

type Disk = {readonly freeBytes: number; readonly sizeBytes: number};

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
 * for several
 * processes together, or one of the space that they use. Returns what ends it.
 */
export function watchLimits({init, maxProcesses, disk, onExceeded}: Options): () => void {
	const before = disk();
	const threads = threadsOfMachine();
	const timer = setInterval(() => {
		if (before && isFilled(before, disk())) {
			onExceeded('it nearly filled the disk');
			return;
		}

		const isFull = memoryLeft() < totalmem() * minFree;
		if (!isFull && threadsOfMachine() < threads + maxProcesses * countAfter) {
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

/** Returns the state of the disk of a folder. */
export function diskOf(folder: string): Disk | undefined {
	try {
		const {bavail, blocks, bsize} = statfsSync(folder);
		return {freeBytes: bavail * bsize, sizeBytes: blocks * bsize};
	} catch {
		return undefined;
	}
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
	return statusFiles.reduce((sum, file) => sum + 1024 * Number(/^RssAnon:\s*(\d+)/m.exec(read(file))?.[1] ?? 0), 0);
}

function threadsOfMachine(): number {
	return Number(/\/(\d+)/.exec(read('/proc/loadavg'))?.[1] ?? 0);
}

/** Returns the available memory in bytes; infinity where the kernel doesn't say. */
function memoryLeft(): number {
	const [, kilobytes] = /^MemAvailable:\s*(\d+)/m.exec(read('/proc/meminfo')) ?? [];
	return kilobytes === undefined ? Number.POSITIVE_INFINITY : 1024 * Number(kilobytes);
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
