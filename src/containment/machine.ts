import {readFileSync, statfsSync} from 'node:fs';

/** The space of a disk. */
export type Disk = {readonly freeBytes: number; readonly sizeBytes: number};

/** Returns the text of a file of the kernel; '' if there is none, or it belongs to a process that has ended. */
export function readText(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}

/** Returns the number of threads on the whole machine. */
export function countThreads(): number {
	return Number(/\/(\d+)/.exec(readText('/proc/loadavg'))?.[1] ?? 0);
}

/** Returns the available memory of the machine in bytes; undefined where the kernel doesn't say. */
export function availableMemory(): number | undefined {
	const [, kilobytes] = /^MemAvailable:\s*(\d+)/m.exec(readText('/proc/meminfo')) ?? [];
	return kilobytes === undefined ? undefined : 1024 * Number(kilobytes);
}

/** Returns the state of the disk of a folder; undefined if nobody knows. */
export function diskOf(folder: string): Disk | undefined {
	try {
		const {bavail, blocks, bsize} = statfsSync(folder);
		return {freeBytes: bavail * bsize, sizeBytes: blocks * bsize};
	} catch {
		return undefined;
	}
}
