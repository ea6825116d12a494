import type {ChildProcess} from 'node:child_process';
import {markVariable} from './end-marked.ts';

/** Limits of one sandbox. A limit that the machine doesn't support is left to the system. */
export type SandboxLimits = {
	/** Memory in bytes of the whole sandbox, and data segment of each process. */
	readonly memoryBytes: number;
	/** Number of processes. If the kernel can't enforce it, the sandbox is ended. */
	readonly processes: number;
	/** Disk space of its files in bytes. */
	readonly diskBytes: number;
	/** Processor time of one process in seconds. */
	readonly cpuSeconds: number;
	/** Size of one file in bytes. */
	readonly fileBytes: number;
	/** Bytes of the log that are kept; the oldest are removed. */
	readonly logBytes: number;
};

/**
 * Enters cgroups, sets limits as far as the system supports them, and joins both outputs, so that their lines stay in
 * order. The script is constant; everything else is a positional parameter, which no shell reads as code. The hard
 * limit of file sizes marks the sandbox's processes, even those that leave everything else.
 */
const launcher = [
	'ulimit -c 0 2>/dev/null || :',
	'ulimit -d "$1" 2>/dev/null || :',
	'ulimit -t "$2" 2>/dev/null || :',
	'ulimit -S -f "$3" 2>/dev/null || :',
	'ulimit -H -f "$4" 2>/dev/null || :',
	'shift 4',
	'while [ "$1" != -- ]; do echo $$ >"$1" || exit 126; shift; done',
	'shift',
	'exec "$@" 2>&1',
].join('; ');

/** In dash and BusyBox, `-p` is what other shells call `-u`. */
const processLauncher =
	'ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null || :; cd "$2" || exit 126; unset OLDPWD; shift 2; exec "$@"';

/** The unit of `ulimit -f` in POSIX. */
const blockBytes = 512;

type SandboxLaunch = {
	readonly limits: SandboxLimits;
	/** The mark in blocks, above the limit of file sizes. */
	readonly mark: number;
	/** The working directory. */
	readonly cwd: string;
	/** Files of cgroups that accept the id of a process. */
	readonly entries: readonly string[];
	/** The containing program with its arguments. */
	readonly wrapper: readonly string[];
};

/** Returns the command that runs a program within limits. */
export function launchCommand(
	program: readonly string[],
	{limits, mark, cwd, entries, wrapper}: SandboxLaunch,
): readonly string[] {
	const {memoryBytes, cpuSeconds, fileBytes, processes} = limits;
	const bounds = [Math.ceil(memoryBytes / 1024), cpuSeconds, Math.ceil(fileBytes / blockBytes), mark].map(String);
	return [
		'/bin/sh',
		'-c',
		launcher,
		'sandbox',
		...bounds,
		...entries,
		'--',
		...wrapper,
		// Inside the containment, which counts its processes separately from the machine's.
		'/bin/sh',
		'-c',
		processLauncher,
		'sandbox',
		String(processes),
		cwd,
		...program,
	];
}

/** Returns a hard limit of file sizes, in blocks, that no other sandbox is likely to have. */
export function markOf(seed: number, fileBytes: number): number {
	return Math.ceil(fileBytes / blockBytes) + 1 + (seed % 2 ** 20);
}

/** Returns whether `/proc/<pid>/limits` shows the mark. Some shells use units of 1024 bytes. */
export function isMarked(limits: string, mark: number): boolean {
	const [, hard] = /^Max file size\s+\S+\s+(\d+)/m.exec(limits) ?? [];
	return hard !== undefined && [mark * blockBytes, mark * blockBytes * 2].includes(Number(hard));
}

/**
 * Joins both outputs, so that their lines stay in order, and sets limits. Constant: the command is an argument, which no
 * shell but its own reads as code.
 */
const commandLauncher = [
	'exec 2>&1',
	'ulimit -c 0',
	'ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null',
	'[ -z "$3" ] || echo "$$" 2>/dev/null >"$3"',
	'exec "$0" -c "$1"',
].join('; ');

/**
 * Kills the processes `$4` and all below them, those with the mark `$3`, those of the control group that the file `$2`
 * belongs to, and the group `$1`, which the killer is in: it comes last. A process may start another one while the list is
 * read. A process in `$4` has its beginning behind its id, because another one may have its id by now.
 */
const killer = [
	'begin() { stat=$(cat "/proc/$1/stat"); set -- ${stat##*")"}; echo "${20}"; }',
	'tree() { for pid in "$@"; do echo "$pid"; tree $(cat /proc/$pid/task/*/children); done; }',
	'left=; for one in $4; do',
	'[ "$(begin "${one%%:*}")" != "${one##*:}" ] || left="$left ${one%%:*}"',
	'done',
	'[ -z "$left" ] || kill -9 $(tree $left)',
	'for round in 1 2 3 4 5; do',
	'if [ -r /proc/self/environ ]; then found=$(grep -lsF -e "$3" /proc/[0-9]*/environ | cut -d/ -f3)',
	'else found=$(ps -axEww -o pid=,command= | grep -F -e "$3" | sed "s/^ *//; s/ .*//"); fi',
	'[ -n "$found" ] || break',
	'kill -9 $found',
	'done',
	'[ -z "$2" ] || echo 1 >"$(dirname "$2")/cgroup.kill"',
	'kill -9 "-$1"',
].join('\n');

/**
 * Waits until this program is gone, which closes descriptor 3. Each line on it has the processes that left the group by then.
 * The killer has no mark, so that it doesn't find itself.
 */
const guard = [
	'left=; while read -r line; do left=$line; done <&3',
	`exec env -u ${markVariable} /bin/sh -c "$4" sh "$$" "$3" "${markVariable}=$${markVariable}" "$left"`,
].join('; ');

const guardedLauncher = `( { ${guard}; } </dev/null >/dev/null 2>&1 & ); exec 3<&-; ${commandLauncher}`;

/** Reports to the guard of a command which processes left its group, each as `id:begin`. */
export function tellGuard({stdio: [, , , guard]}: ChildProcess, processes: readonly string[]): void {
	if (guard && 'write' in guard && guard.writable) {
		guard.write(`${processes.join(' ')}\n`);
	}
}

export type CommandLaunch = {
	/** What the shell gets, byte for byte. */
	readonly command: string;
	readonly shell: string;
	/** Most processes at a time. */
	readonly maxProcesses: number;
};

/** Returns the program that launches a command in a sandbox, which ends with this program by itself. */
export function launcherOf({command, shell, maxProcesses}: CommandLaunch): readonly string[] {
	return ['/bin/sh', '-c', commandLauncher, shell, command, `${maxProcesses}`, ''];
}

/**
 * Returns the program that launches a command without a sandbox, with an orphan that ends it once this program is gone, also
 * what has left its group. `joinFile` is that of its control group; '' without one. Its environment needs the mark.
 */
export function guardedLauncherOf({command, shell, maxProcesses}: CommandLaunch, joinFile: string): readonly string[] {
	return ['/bin/sh', '-c', guardedLauncher, shell, command, `${maxProcesses}`, joinFile, killer];
}
