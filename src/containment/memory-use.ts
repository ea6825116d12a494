import {readdirSync, readlinkSync, statSync} from 'node:fs';
import {readText} from './machine.ts';

/** The block size of `stat`. */
const blockBytes = 512;

/** A file in memory without a name (memfd_create(2)), as `/proc` shows it in links and mappings. */
const memoryFile = '/memfd:';

/**
 * Returns whether processes, given by their folders in `/proc`, use more memory than that: shared pages count once, and
 * files in memory count even if no process maps them. Counts shared pages only if that many would be exceeded without.
 */
export function usesMoreMemory(processes: readonly string[], maxBytes: number): boolean {
	const files = memoryFilesOf(processes);
	const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
	const whole = processes.reduce((sum, each) => sum + wholePagesOf(each), 0);
	if (whole + bytes <= maxBytes) {
		return false;
	}

	const pages = processes.reduce((sum, each) => sum + pagesOf(each), 0);
	const mapped = files.size === 0 ? 0 : processes.reduce((sum, each) => sum + mappedOf(each, files), 0);
	return pages + bytes - mapped > maxBytes;
}

/** Returns the anonymous, shared and swapped memory of a process. */
function wholePagesOf(process: string): number {
	return sumOf(readText(`${process}/status`), ['RssAnon', 'RssShmem', 'VmSwap']);
}

/** Returns the same, with each page divided by the processes that share it. */
function pagesOf(process: string): number {
	const text = readText(`${process}/smaps_rollup`);
	// Kernels without it, or a process that hides it, still show whole counts.
	return /^Pss_Shmem:/m.test(text) ? sumOf(text, ['Pss_Anon', 'Pss_Shmem', 'SwapPss']) : wholePagesOf(process);
}

function sumOf(text: string, names: readonly string[]): number {
	return names.reduce((sum, name) => sum + kilobytesAt(text, name), 0);
}

/** Returns the bytes of open files in memory, by inode. */
function memoryFilesOf(processes: readonly string[]): ReadonlyMap<string, number> {
	const files = new Map<string, number>();
	for (const process of processes) {
		for (const name of list(`${process}/fd`)) {
			const path = `${process}/fd/${name}`;
			try {
				if (readlinkSync(path).startsWith(memoryFile)) {
					const {ino, blocks} = statSync(path);
					files.set(String(ino), blocks * blockBytes);
				}
			} catch {
				// It was closed.
			}
		}
	}

	return files;
}

/** Returns the bytes of these files that are already counted as pages of a process. */
function mappedOf(process: string, files: ReadonlyMap<string, number>): number {
	return readText(`${process}/smaps`)
		.split(/^(?=[\da-f]+-[\da-f]+ )/m)
		.filter(mapping => files.has(/^\S+ \S+ \S+ \S+ (\d+) +\/memfd:/.exec(mapping)?.[1] ?? ''))
		.reduce((sum, mapping) => sum + kilobytesAt(mapping, 'Pss'), 0);
}

function kilobytesAt(text: string, name: string): number {
	return 1024 * Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function list(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
