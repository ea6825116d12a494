import {readdirSync, readlinkSync, statSync} from 'node:fs';
import {readText} from './machine.ts';

/** The block size of `stat`. */
const blockBytes = 512;

/** A file in memory without a name (memfd_create(2)), as `/proc` shows it in links and mappings. */
const memoryFile = '/memfd:';

/**
 * Returns the memory that processes use, in bytes: shared pages count once, and files in memory count even if no
 * process maps them.
 */
export function memoryUseOf(pids: readonly number[]): number {
	const files = memoryFilesOf(pids);
	const pages = pids.reduce((sum, pid) => sum + pagesOf(pid), 0);
	const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
	return pages + bytes - (files.size === 0 ? 0 : pids.reduce((sum, pid) => sum + mappedOf(pid, files), 0));
}

/** Returns the anonymous, shared and swapped memory of a process, each page divided by the processes that share it. */
function pagesOf(pid: number): number {
	const text = readText(`/proc/${pid}/smaps_rollup`);
	const fields = /^Pss_Shmem:/m.test(text) ? ['Pss_Anon', 'Pss_Shmem', 'SwapPss'] : ['RssAnon', 'RssShmem', 'VmSwap'];
	// Kernels without it, or a process that hides it, still show whole counts.
	const counts = fields[0] === 'RssAnon' ? readText(`/proc/${pid}/status`) : text;
	return fields.reduce((sum, name) => sum + kilobytesAt(counts, name), 0);
}

/** Returns the bytes of open files in memory, by inode. */
function memoryFilesOf(pids: readonly number[]): ReadonlyMap<string, number> {
	const files = new Map<string, number>();
	for (const pid of pids) {
		for (const name of list(`/proc/${pid}/fd`)) {
			const path = `/proc/${pid}/fd/${name}`;
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
function mappedOf(pid: number, files: ReadonlyMap<string, number>): number {
	return readText(`/proc/${pid}/smaps`)
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
