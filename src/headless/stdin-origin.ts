import {fstatSync, readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import process from 'node:process';

/**
 * What standard input is. `command`: a pipe that a shell made between another command and us. `program`: one that the program
 * which started us left there, and may never write to or close (CI, cron, ssh, `subprocess.PIPE`). `unknown`: a pipe that was
 * passed on, as in a loop of a script, or of which nothing can be found out.
 */
export type StdinOrigin = 'none' | 'file' | 'folder' | 'device' | 'command' | 'program' | 'unknown';

const shells: ReadonlySet<string> = new Set([
	...['sh', 'bash', 'dash', 'zsh', 'ash', 'busybox', 'ksh', 'ksh93', 'mksh', 'oksh', 'yash', 'fish', 'tcsh', 'csh'],
	...['nu', 'elvish', 'osh', 'pwsh'],
]);

type Place = {
	/** Where Linux lists processes; elsewhere a pipe is `unknown`. */
	readonly processes: string;
	readonly own: number;
	readonly parent: number;
};

const here = (): Place => ({processes: '/proc', own: process.pid, parent: process.ppid});

/** Returns what a descriptor is. */
export function originOf(descriptor: number, place = here()): StdinOrigin {
	try {
		const stats = fstatSync(descriptor);
		if (stats.isFIFO() || stats.isSocket()) {
			return makerOf(descriptor, place);
		}

		if (stats.isFile() || stats.isDirectory()) {
			return stats.isFile() ? 'file' : 'folder';
		}

		return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev ? 'none' : 'device';
	} catch {
		// It is closed.
		return 'none';
	}
}

/** Finds out who made a pipe: a parent with another input made it, one with the same input was given it. */
function makerOf(descriptor: number, {processes, own, parent}: Place): StdinOrigin {
	try {
		const pipe = readlinkSync(`${processes}/${own}/fd/${descriptor}`);
		const isShell = shells.has(readFileSync(`${processes}/${parent}/comm`, 'utf8').trim().replace(/^-/, ''));
		if (!isShell) {
			return 'program';
		}

		return readlinkSync(`${processes}/${parent}/fd/0`) === pipe ? 'unknown' : 'command';
	} catch {
		return 'unknown';
	}
}

/**
 * True if a command that runs beside us writes to the pipe: its output is that pipe. What started us may hold the other end
 * without ever writing, so that our ancestors don't count. False where it can't be found out.
 */
export function hasWriter(descriptor: number, {processes, own} = here()): boolean {
	try {
		const pipe = readlinkSync(`${processes}/${own}/fd/${descriptor}`);
		const ancestors = ancestorsOf(own, processes);
		const others = readdirSync(processes).filter(name => /^\d+$/.test(name) && !ancestors.has(Number(name)));
		// The two ends of a socket have numbers of their own.
		return (
			pipe.startsWith('pipe:') && others.some(id => [1, 2].some(fd => linkOf(`${processes}/${id}/fd/${fd}`) === pipe))
		);
	} catch {
		return false;
	}
}

/** Returns a process and its ancestors (proc(5), `/proc/pid/stat`: the name may contain anything). */
function ancestorsOf(id: number, processes: string): ReadonlySet<number> {
	const found = new Set<number>();
	for (let next = id; next > 0 && !found.has(next); ) {
		found.add(next);
		const stat = readFileSync(`${processes}/${next}/stat`, 'utf8');
		next = Number(/\) \S (\d+)[^)]*$/.exec(stat)?.[1] ?? 0);
	}

	return found;
}

/** Returns what a link points to; undefined for a process that has ended, and for one of another user. */
function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
