import {totalmem} from 'node:os';
import {diskUseOf, maxFiles} from './disk-use.ts';
import {availableMemory, countThreads, type Disk, diskOf} from './machine.ts';
import {usesMoreMemory} from './memory-use.ts';

/** A limit of what is contained that the kernel doesn't enforce. */
export type Limit = {
	/** Returns whether it may be exceeded, from what the whole machine uses: one short read. */
	readonly isDue: () => boolean;
	/** Measures, and does what the caller wants if the limit is exceeded. */
	readonly check: () => void | Promise<void>;
};

/** Returns the folders in `/proc` of the contained processes. */
type Members = () => readonly string[];

/** Checks each limit when it is due, one check of it at a time. Returns what ends it. */
export function watchLimits(intervalMs: number, limits: readonly Limit[]): () => void {
	const checking = new Set<Limit>();
	const check = async (limit: Limit) => {
		checking.add(limit);
		await limit.check();
		checking.delete(limit);
	};
	const timer = setInterval(() => {
		for (const limit of limits) {
			if (!checking.has(limit) && limit.isDue()) {
				void check(limit);
			}
		}
	}, intervalMs);
	timer.unref();
	return () => clearInterval(timer);
}

/** The fraction of a limit that the machine may use before it is measured again. */
const measureFraction = 1 / 8;

/** A limit is measured at least this often. */
const maxIntervalMs = 10_000;

/** Returns a function that is true if a value has grown by `step` since the last time, or after a while. */
function createTrigger(read: () => number, step: number): () => boolean {
	let [base, at] = [read(), Date.now()];
	return () => {
		const value = read();
		if (value - base > step || Date.now() - at > maxIntervalMs) {
			[base, at] = [value, Date.now()];
			return true;
		}

		base = Math.min(base, value);
		return false;
	};
}

/** Limits the number of processes. */
export function processLimit(max: number, members: Members, onExceeded: () => void): Limit {
	return {
		isDue: createTrigger(countThreads, max * measureFraction),
		check() {
			if (members().length > max) {
				onExceeded();
			}
		},
	};
}

/** Limits the memory of all processes together. */
export function memoryLimit(maxBytes: number, members: Members, onExceeded: () => void): Limit {
	return {
		isDue: createTrigger(() => -(availableMemory() ?? 0), maxBytes * measureFraction),
		check() {
			if (usesMoreMemory(members(), maxBytes)) {
				onExceeded();
			}
		},
	};
}

/** The shares of the memory that must be free on the machine, and that processes may use if less is. */
const minFree = 0.05;
const maxUsed = 0.5;

/** Limits the memory of all processes together once hardly any is left on the machine. */
export function machineMemoryLimit(members: Members, onExceeded: () => void): Limit {
	const total = totalmem();
	return {
		isDue: () => (availableMemory() ?? Number.POSITIVE_INFINITY) < total * minFree,
		check() {
			if (usesMoreMemory(members(), total * maxUsed)) {
				onExceeded();
			}
		},
	};
}

/** Limits the disk space of folders, and the number of their files. */
export function diskLimit(
	maxBytes: number,
	folders: readonly string[],
	members: Members,
	onExceeded: (what: 'bytes' | 'files') => void,
): Limit {
	return {
		isDue: createTrigger(() => -(diskOf(folders[0] ?? '/')?.freeBytes ?? 0), maxBytes * measureFraction),
		async check() {
			const {bytes, files} = await diskUseOf(folders, members());
			if (bytes > maxBytes || files > maxFiles) {
				onExceeded(bytes > maxBytes ? 'bytes' : 'files');
			}
		},
	};
}

/** The space that must be left on a disk, and how much may be used in any case. */
const minFreeDiskBytes = 1024 ** 3;
const minFreeDisk = 0.05;
const mayUseBytes = 100 * 1024 ** 2;

/** Ends what leaves hardly any space on a disk and used much of it. */
export function machineDiskLimit(disk: () => Disk | undefined, onExceeded: () => void): Limit {
	const before = disk();
	return {
		isDue() {
			const now = disk();
			return (
				before !== undefined &&
				now !== undefined &&
				now.freeBytes < Math.min(minFreeDiskBytes, now.sizeBytes * minFreeDisk) &&
				before.freeBytes - now.freeBytes > mayUseBytes
			);
		},
		check: onExceeded,
	};
}
