import type {SandboxLimits} from './provider.ts';

/**
 * Sets limits where the system has them and joins both outputs, so that their lines stay in order. The text is constant;
 * whatever comes from outside is a positional parameter, which no shell reads as code.
 */
const launcher = [
	'ulimit -c 0 2>/dev/null || :',
	'ulimit -d "$1" 2>/dev/null || :',
	'ulimit -t "$2" 2>/dev/null || :',
	'ulimit -f "$3" 2>/dev/null || :',
	'shift 3',
	'exec "$@" 2>&1',
].join('; ');

/** The shells of Debian and BusyBox have `-p` for what others call `-u`. */
const processLauncher = 'ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null || :; shift; exec "$@"';

/** The command that runs a program within limits; `wrapper` is what keeps it apart, with its arguments. */
export function launchCommand(
	program: readonly string[],
	{memoryBytes, cpuSeconds, fileBytes, processes}: SandboxLimits,
	wrapper: readonly string[],
): readonly string[] {
	const bounds = [Math.ceil(memoryBytes / 1024), cpuSeconds, Math.ceil(fileBytes / 512)].map(String);
	return [
		...['/bin/sh', '-c', launcher, 'sandbox', ...bounds],
		...wrapper,
		// Inside of it, where processes are counted apart from those of the machine.
		...['/bin/sh', '-c', processLauncher, 'sandbox', String(processes)],
		...program,
	];
}
