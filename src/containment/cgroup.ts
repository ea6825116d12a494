import {mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {readText} from './machine.ts';

type CgroupFolders = {
	readonly version: 1 | 2;
	readonly memory: string;
	readonly pids: string;
	/** Where each group gets the same share of the processors, however many processes it has; undefined if not allowed. */
	readonly cpu?: string;
};

type Bounds = {readonly memoryBytes: number; readonly processes: number};

/** A control group with the processes of one sandbox or command, however they leave their process group and environment. */
export type Cgroup = {
	readonly folders: readonly string[];
	/** Files to join the group: a process that writes its id to each of them is in it, with all its descendants. */
	readonly entries: readonly string[];
	readonly members: () => readonly number[];
	/** Forbids new processes. Returns a function that allows them again. */
	readonly blockForks: () => () => void;
	/** Returns how many processes the kernel killed because memory was used up. */
	readonly memoryKills: () => number;
	/** Returns how often the kernel refused a new process because the group has as many as it may. */
	readonly refusedProcesses: () => number;
	/** Removes it and the groups in it; returns false while it has processes. */
	readonly remove: () => boolean;
	/** Kills all of its processes where the kernel can (version 2), and removes it. */
	readonly end: () => Promise<void>;
};

const commandPrefix = 'service-command-';
/** An older group without processes was left behind by a program that was killed. */
const staleAfterMs = 60_000;
const maxRounds = 20;
const roundMs = 10;

/** Creates a group of this name that the kernel limits. Returns undefined if that is not allowed. */
export function createCgroup(
	location: CgroupFolders,
	name: string,
	{memoryBytes, processes}: Bounds,
): Cgroup | undefined {
	const parents = [location.memory, location.pids, location.cpu].filter(folder => folder !== undefined);
	const folders = [...new Set(parents)].map(folder => join(folder, `service-${name}`));
	const [memory = '', pids = memory] = folders;
	return create(folders, () => {
		writeFileSync(join(memory, location.version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), String(memoryBytes));
		writeFileSync(join(pids, 'pids.max'), String(processes));
		// Not every kernel counts swap.
		write(join(memory, 'memory.swap.max'), '0');
		write(join(memory, 'memory.memsw.limit_in_bytes'), String(memoryBytes));
	});
}

/** Creates a group without limits (version 2) below our own, which ends what a command started. Undefined if not allowed. */
export function createCommandCgroup(id: string, platform = process.platform): Cgroup | undefined {
	const parent = platform === 'linux' ? findOwnCgroup('cgroup2')?.own : undefined;
	const path = join(parent ?? '', commandPrefix + id);
	return parent === undefined
		? undefined
		: create([path], () => {
				removeStale(parent);
				// Kernels before 5.14 have none.
				statSync(join(path, 'cgroup.kill'));
			});
}

function create(folders: readonly string[], setUp: () => void): Cgroup | undefined {
	const cgroup = openCgroup(folders);
	try {
		for (const folder of folders) {
			mkdirSync(folder, {mode: 0o700});
		}

		setUp();
		return cgroup;
	} catch {
		cgroup.remove();
		return undefined;
	}
}

/** Opens an existing group, maybe created by an earlier process. */
export function openCgroup(folders: readonly string[]): Cgroup {
	const entries = folders.map(folder => join(folder, 'cgroup.procs'));
	const countIn = (files: readonly string[], event: string) =>
		Math.max(...files.map(file => Number(new RegExp(`^${event} (\\d+)$`, 'm').exec(readText(file))?.[1] ?? 0)));
	const killCounts = folders.flatMap(folder => [join(folder, 'memory.events'), join(folder, 'memory.oom_control')]);
	const remove = () => folders.map(removeFolder).every(Boolean);
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
		memoryKills: () => countIn(killCounts, 'oom_kill'),
		refusedProcesses: () =>
			countIn(
				folders.map(folder => join(folder, 'pids.events')),
				'max',
			),
		remove,
		async end() {
			for (let round = 0; round < maxRounds; round++) {
				for (const folder of folders) {
					write(join(folder, 'cgroup.kill'), '1');
				}

				if (remove()) {
					return;
				}

				await sleep(roundMs);
			}
		},
	};
}

function write(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch {
		// The kernel has no such file, or the group was removed.
	}
}

function removeStale(parent: string): void {
	for (const name of readdirSync(parent).filter(each => each.startsWith(commandPrefix))) {
		const path = join(parent, name);
		if (Date.now() - (statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? Date.now()) > staleAfterMs) {
			removeFolder(path);
		}
	}
}

/** Removes a group and those in it; false while it has processes. */
function removeFolder(path: string): boolean {
	try {
		for (const entry of readdirSync(path, {withFileTypes: true}).filter(each => each.isDirectory())) {
			removeFolder(join(path, entry.name));
		}

		rmdirSync(path);
		return true;
	} catch {
		return statSync(path, {throwIfNoEntry: false}) === undefined;
	}
}

/**
 * Returns the folder of the cgroup of this process, and that of the hierarchy which it is in; undefined where there is none.
 * Hierarchies of version 1 have a controller.
 */
export function findOwnCgroup(
	type: 'cgroup' | 'cgroup2',
	controller = '',
): {readonly top: string; readonly own: string} | undefined {
	const groups = readText('/proc/self/cgroup').trim().split('\n');
	const group = groups.find(line => (line.split(':')[1] ?? '').split(',').includes(controller));
	const mount = readMounts(readText('/proc/self/mountinfo')).find(
		each => each.type === type && (controller === '' || each.options.includes(controller)),
	);
	return group === undefined || mount === undefined
		? undefined
		: {top: mount.at, own: join(mount.at, relative(mount.root, group.split(':').slice(2).join(':')))};
}

/** One mount of a cgroup hierarchy. */
type Mounted = {readonly root: string; readonly at: string; readonly type: string; readonly options: readonly string[]};

function readMounts(text: string): readonly Mounted[] {
	return text
		.trim()
		.split('\n')
		.map(line => {
			const [before = '', after = ''] = line.split(' - ');
			const [, , , root = '', at = ''] = before.split(' ');
			const [type = '', , options = ''] = after.split(' ');
			return {root, at, type, options: options.split(',')};
		});
}
