import {fstatSync, readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import process from 'node:process';

/**
 * What standard input is. `command`: a pipe that a shell made between another command and us. `program`: one that a program
 * made, and may never write to or close (CI, cron, ssh, `subprocess.PIPE`), or passed on to us. `unknown`: a pipe between
 * commands that a shell passed on, as in a loop of a script, or one of which nothing can be found out.
 */
export type StdinOrigin = 'none' | 'file' | 'folder' | 'device' | 'command' | 'program' | 'unknown';

const shells: ReadonlySet<string> = new Set([
	'sh',
	'bash',
	'dash',
	'zsh',
	'ash',
	'busybox',
	'ksh',
	'ksh93',
	'mksh',
	'oksh',
	'yash',
	'fish',
	'tcsh',
	'csh',
	'nu',
	'elvish',
	'osh',
	'pwsh',
]);

/** Programs that run another one with their own input, and read nothing of it. */
const runners: ReadonlySet<string> = new Set(
	'timeout time sudo doas su runuser unshare nsenter strace ltrace bwrap'.split(' '),
);

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

/** Finds out who made a pipe: the nearest ancestor with another input made it, those below were given it. */
function makerOf(descriptor: number, {processes, own, parent}: Place): StdinOrigin {
	try {
		const pipe = readlinkSync(`${processes}/${own}/fd/${descriptor}`);
		const given: string[] = [];
		for (let next = parent; next > 0; next = parentOf(next, processes)) {
			const name = readFileSync(`${processes}/${next}/comm`, 'utf8').trim().replace(/^-/, '');
			const isShell = shells.has(name);
			const input = isShell ? readlinkSync(`${processes}/${next}/fd/0`) : linkOf(`${processes}/${next}/fd/0`);
			if (input !== pipe) {
				return isShell ? originBetween(given) : 'program';
			}

			given.push(name);
		}

		return 'unknown';
	} catch {
		return 'unknown';
	}
}

/** Returns what a pipe of a shell is that these programs were given, the one that started us first. */
function originBetween(given: readonly string[]): StdinOrigin {
	const [first = ''] = given;
	const isPassedOn = first !== '' && !shells.has(first) && !runners.has(first);
	return isPassedOn ? 'program' : given.every(name => runners.has(name)) ? 'command' : 'unknown';
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

/** Returns a process and its ancestors. */
function ancestorsOf(id: number, processes: string): ReadonlySet<number> {
	const found = new Set<number>();
	for (let next = id; next > 0 && !found.has(next); next = parentOf(next, processes)) {
		found.add(next);
	}

	return found;
}

/** Returns the parent of a process (proc(5), `/proc/pid/stat`: the name may contain anything); 0 for none. */
function parentOf(id: number, processes: string): number {
	const stat = readFileSync(`${processes}/${id}/stat`, 'utf8');
	return Number(/\) \S (\d+)[^)]*$/.exec(stat)?.[1] ?? 0);
}

/** Returns what a link points to; undefined for a process that has ended, and for one of another user. */
function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
