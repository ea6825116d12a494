import {mkdirSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {readText} from './machine.ts';

type CgroupFolders = {readonly version: 1 | 2; readonly memory: string; readonly pids: string};

type Bounds = {readonly memoryBytes: number; readonly processes: number};

/** A cgroup with the processes of one sandbox. */
export type Cgroup = {
	readonly folders: readonly string[];
	/** Files to join the group: a process that writes its id to each of them is in it, with all its descendants. */
	readonly entries: readonly string[];
	readonly members: () => readonly number[];
	/** Forbids new processes. Returns a function that allows them again. */
	readonly blockForks: () => () => void;
	/** Returns how many processes the kernel killed because memory was used up. */
	readonly memoryKills: () => number;
	/** Removes it; returns false while it has processes. */
	readonly remove: () => boolean;
};

/** Creates a group of this name. Returns undefined if that is not allowed. */
export function createCgroup(
	location: CgroupFolders,
	name: string,
	{memoryBytes, processes}: Bounds,
): Cgroup | undefined {
	const folders = [...new Set([location.memory, location.pids])].map(folder => join(folder, `service-${name}`));
	const cgroup = openCgroup(folders);
	const [memory = '', pids = memory] = folders;
	try {
		for (const folder of folders) {
			mkdirSync(folder, {mode: 0o700});
		}

		writeFileSync(join(memory, location.version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), String(memoryBytes));
		writeFileSync(join(pids, 'pids.max'), String(processes));
	} catch {
		cgroup.remove();
		return undefined;
	}

	// Not every kernel counts swap.
	write(join(memory, 'memory.swap.max'), '0');
	write(join(memory, 'memory.memsw.limit_in_bytes'), String(memoryBytes));
	return cgroup;
}

/** Opens an existing group, maybe created by an earlier process. */
export function openCgroup(folders: readonly string[]): Cgroup {
	const entries = folders.map(folder => join(folder, 'cgroup.procs'));
	const killCounts = folders.flatMap(folder => [join(folder, 'memory.events'), join(folder, 'memory.oom_control')]);
	return {
		folders,
		entries,
		members: () => [...new Set(entries.flatMap(file => readText(file).split('\n').filter(Boolean).map(Number)))],
		blockForks() {
			const bounds = folders.map(folder => join(folder, 'pids.max')).map(file => ({file, bound: readText(file)}));
			const set = (isOpen: boolean) => {
				for (const {file, bound} of bounds) {
					write(file, isOpen ? bound : '0');
				}
			};
			set(false);
			return () => set(true);
		},
		memoryKills: () => Math.max(...killCounts.map(file => Number(/^oom_kill (\d+)$/m.exec(readText(file))?.[1] ?? 0))),
		remove: () => folders.map(removeFolder).every(Boolean),
	};
}

function write(file: string, text: string): void {
	try {
		writeFileSync(file, text, {flag: 'r+'});
	} catch {
		// The kernel has no such file, or the group was removed.
	}
}

function removeFolder(folder: string): boolean {
	try {
		rmdirSync(folder);
		return true;
	} catch (error) {
		return error instanceof Error && 'code' in error && error.code === 'ENOENT';
	}
}
