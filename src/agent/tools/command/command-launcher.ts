import type {ChildProcess} from 'node:child_process';
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

const guardedLauncher = `( { ${guard}; } </dev/null >/dev/null 2>&1 & ); exec 3<&-; ${launcher}`;

/** Reports to the guard of a command which processes left its group, each as `id:begin`. */
export function tellGuard({stdio: [, , , guard]}: ChildProcess, processes: readonly string[]): void {
	if (guard && 'write' in guard && guard.writable) {
		guard.write(`${processes.join(' ')}\n`);
	}
}

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
