import type {SandboxLimits} from '../provider.ts';

/**
 * Enters control groups, sets limits where the system has them and joins both outputs, so that their lines stay in order.
 * The text is constant; whatever comes from outside is a positional parameter, which no shell reads as code. The hard
 * limit of file sizes is the mark by which a process is known that has left everything else behind.
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

/** The shells of Debian and BusyBox have `-p` for what others call `-u`. */
const processLauncher =
	'ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null || :; cd "$2" || exit 126; unset OLDPWD; shift 2; exec "$@"';

/** Bytes of the unit that POSIX gives `ulimit -f`. */
const blockBytes = 512;

type Launch = {
	readonly limits: SandboxLimits;
	/** In blocks, above the limit of file sizes. */
	readonly mark: number;
	/** The folder that it runs in. */
	readonly cwd: string;
	/** The files of control groups that take the id of a process. */
	readonly entries: readonly string[];
	/** What keeps the program apart, with its arguments. */
	readonly wrapper: readonly string[];
};

/** The command that runs a program within limits. */
export function launchCommand(
	program: readonly string[],
	{limits, mark, cwd, entries, wrapper}: Launch,
): readonly string[] {
	const {memoryBytes, cpuSeconds, fileBytes, processes} = limits;
	const bounds = [Math.ceil(memoryBytes / 1024), cpuSeconds, Math.ceil(fileBytes / blockBytes), mark].map(String);
	return [
		...['/bin/sh', '-c', launcher, 'sandbox', ...bounds, ...entries, '--'],
		...wrapper,
		// Inside of it, where processes are counted apart from those of the machine.
		...['/bin/sh', '-c', processLauncher, 'sandbox', String(processes), cwd],
		...program,
	];
}

/** A hard limit of file sizes, in blocks, that no other sandbox is likely to have. */
export function markOf(seed: number, fileBytes: number): number {
	return Math.ceil(fileBytes / blockBytes) + 1 + (seed % 2 ** 20);
}

/** Whether `/proc/<pid>/limits` shows that mark; some shells count in units of 1024 bytes. */
export function isMarked(limits: string, mark: number): boolean {
	const [, hard] = /^Max file size\s+\S+\s+(\d+)/m.exec(limits) ?? [];
	return hard !== undefined && [mark * blockBytes, mark * blockBytes * 2].includes(Number(hard));
}
