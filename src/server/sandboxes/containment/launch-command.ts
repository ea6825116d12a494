import type {SandboxLimits} from '../provider.ts';

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

type Launch = {
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
	{limits, mark, cwd, entries, wrapper}: Launch,
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
