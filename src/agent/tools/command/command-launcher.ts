import {markVariable} from './end-marked.ts';

/**
 * Joins both outputs, so that their lines stay in order, and sets limits. Constant: the command is an argument, which no
 * shell but its own reads as code.
 */
const launcher = [
	'exec 2>&1',
	'ulimit -c 0',
	'ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null',
	'[ -z "$3" ] || echo "$$" 2>/dev/null >"$3"',
	'exec "$0" -c "$1"',
].join('; ');

/**
 * Kills the processes with the mark `$3`, those of the control group that the file `$2` belongs to, and the group `$1`, which
 * the killer is in: it comes last. A process may start another one while the list is read.
 */
const killer = [
	'for round in 1 2 3 4 5; do',
	'if [ -r /proc/self/environ ]; then found=$(grep -lsF -e "$3" /proc/[0-9]*/environ | cut -d/ -f3)',
	'else found=$(ps -axEww -o pid=,command= | grep -F -e "$3" | sed "s/^ *//; s/ .*//"); fi',
	'[ -n "$found" ] || break',
	'kill -9 $found',
	'done',
	'[ -z "$2" ] || echo 1 >"$(dirname "$2")/cgroup.kill"',
	'kill -9 "-$1"',
].join('\n');

/** Waits until this program is gone, which closes descriptor 3. The killer has no mark, so that it doesn't find itself. */
const guard = `read -r _ <&3; exec env -u ${markVariable} /bin/sh -c "$4" sh "$$" "$3" "${markVariable}=$${markVariable}"`;

const guardedLauncher = `( { ${guard}; } </dev/null >/dev/null 2>&1 & ); exec 3<&-; ${launcher}`;

export type Launch = {
	/** What the shell gets, byte for byte. */
	readonly command: string;
	readonly shell: string;
	/** Most processes at a time. */
	readonly maxProcesses: number;
};

/** Returns the program that launches a command in a sandbox, which ends with this program by itself. */
export function launcherOf({command, shell, maxProcesses}: Launch): readonly string[] {
	return ['/bin/sh', '-c', launcher, shell, command, `${maxProcesses}`, ''];
}

/**
 * Returns the program that launches a command without a sandbox, with an orphan that ends it once this program is gone, also
 * what has left its group. `joinFile` is that of its control group; '' without one. Its environment needs the mark.
 */
export function guardedLauncherOf({command, shell, maxProcesses}: Launch, joinFile: string): readonly string[] {
	return ['/bin/sh', '-c', guardedLauncher, shell, command, `${maxProcesses}`, joinFile, killer];
}
