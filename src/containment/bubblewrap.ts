import type {ChildProcess} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname} from 'node:path';

/** A working bubblewrap and its features. */
export type Bubblewrap = {
	readonly program: string;
	/** Whether it can limit the size of a tmpfs. */
	readonly hasSizes: boolean;
	/** Options that create a user namespace; none if root drops its privileges, or if bubblewrap is setuid. */
	readonly userNamespace: readonly string[];
	/** If root starts sandboxes of other users: the program that runs each as its own. */
	readonly setpriv?: string;
	/** Whether the kernel takes the filter of system calls. */
	readonly takesFilter: boolean;
};

/**
 * A file or folder that can't be read: an empty folder or a file that can't be opened is in its place. `mask` is what is there
 * instead, if that has to look like the file from outside.
 */
export type HiddenPlace = {readonly path: string; readonly isFolder: boolean; readonly mask?: string};

/** What a contained program sees. All paths are absolute and real: bubblewrap doesn't follow links on its own. */
export type ContainmentPolicy = {
	/** The folder on disk that is `/tmp`, and replaces temporary file systems without a size limit. */
	readonly temporary: string;
	/** Maximum bytes of a temporary file system, in memory. */
	readonly scratchBytes: number;
	/** True if `/tmp` is in memory as well, where its size can be limited. */
	readonly hasScratch: boolean;
	/** Folders that are empty but for what is mounted there: homes, sockets of services, data of the server. */
	readonly covered: readonly string[];
	/** What can be read below `covered`: tools of the user. It may be gone by now. */
	readonly readable: readonly string[];
	/** Programs that it can't do without, also in covered folders. */
	readonly programs: readonly string[];
	/** The only writable folders. A folder comes before those in it, which it would cover. */
	readonly writable: readonly string[];
	/** What can be read, but not changed, renamed or removed, as a file and the path where it is mounted. */
	readonly readOnly: readonly (readonly [file: string, path: string])[];
	readonly hidden: readonly HiddenPlace[];
	/** True to share the network that it is started in. */
	readonly hasNetwork: boolean;
	/** Capabilities to keep if root runs the program. */
	readonly capabilities: readonly string[];
	/** True if it runs as another user, who has to pass the folders of mount points. */
	readonly isOtherUser: boolean;
	/** Where it begins. */
	readonly cwd: string;
};

/** What the kernel lets root write, whatever the capabilities are. Bubblewrap itself only protects some of it. */
const kernelControls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map(name => `/proc/${name}`);

/**
 * Returns arguments of bubblewrap for a policy (SAFETY 15): the machine is read-only, in-memory files have a size limit,
 * processes see only each other and end with what started them. The order matters: later mounts cover earlier ones, and covers
 * become read-only after the last mount point inside them was created.
 */
export function bubblewrapArguments(
	{hasSizes, userNamespace}: Bubblewrap,
	policy: ContainmentPolicy,
): readonly string[] {
	const {temporary, scratchBytes, covered, readable, writable, readOnly, hidden, capabilities} = policy;
	const scratch = (path: string) =>
		hasSizes ? ['--perms', '1777', '--size', String(scratchBytes), '--tmpfs', path] : ['--bind', temporary, path];
	const mount = (kind: string, from: string, to: string) =>
		// Bubblewrap itself would create the folder of a mount point for one user only.
		policy.isOtherUser ? ['--dir', dirname(to), kind, from, to] : [kind, from, to];
	const covers = outermost(covered).filter(folder => folder !== '/tmp');
	return [
		'--ro-bind',
		'/',
		'/',
		'--dev',
		'/dev',
		'--proc',
		'/proc',
		...(policy.hasScratch ? scratch('/tmp') : ['--bind', temporary, '/tmp']),
		...covers.flatMap(folder => ['--tmpfs', folder]),
		...outermost(readable).flatMap(path => mount('--ro-bind-try', path, path)),
		...policy.programs.flatMap(file => mount('--ro-bind', file, file)),
		...writable.flatMap(folder => mount('--bind', folder, folder)),
		...readOnly.flatMap(([file, path]) => mount('--ro-bind', file, path)),
		...['/dev', ...covers].flatMap(folder => ['--remount-ro', folder]),
		...scratch('/dev/shm'),
		...kernelControls.flatMap(path => ['--ro-bind-try', path, path]),
		...hidden.flatMap(hide),
		'--unshare-pid',
		'--unshare-ipc',
		'--unshare-uts',
		'--unshare-cgroup-try',
		...userNamespace,
		...(policy.hasNetwork ? [] : ['--unshare-net']),
		'--cap-drop',
		'ALL',
		...capabilities.flatMap(name => ['--cap-add', name]),
		'--die-with-parent',
		'--chdir',
		policy.cwd,
	];
}

/** A device can't be opened on a mount without devices, so a hidden file is unreadable rather than empty. */
function hide({path, isFolder, mask}: HiddenPlace): readonly string[] {
	if (mask !== undefined) {
		return ['--ro-bind', mask, path];
	}

	return isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}

/** Returns the paths that are not inside another one of them. */
function outermost(paths: readonly string[]): readonly string[] {
	const isInside = (path: string) => paths.some(other => path.startsWith(`${other}/`));
	return [...new Set(paths)].filter(path => !isInside(path));
}

type Task = {
	/** The only writable folders. */
	readonly writable: readonly string[];
	/** Folders that must not be readable: homes and the server's own data. */
	readonly hidden: readonly string[];
	readonly temporary: string;
	readonly scratchBytes: number;
	/** Sockets of services that must not be reachable. */
	readonly sockets?: readonly string[];
	/** The sandbox's resolver configuration: a file, and the path where it is mounted. */
	readonly resolver?: readonly [file: string, path: string];
};

/** Returns the policy of a task of the server, which may run as another user, in a network that is made for it. */
export function taskPolicy(
	{setpriv}: Bubblewrap,
	{writable, hidden, temporary, scratchBytes, sockets = [], resolver}: Task,
): ContainmentPolicy {
	return {
		temporary,
		scratchBytes,
		hasScratch: true,
		covered: hidden.filter(folder => !`${folder}/`.startsWith('/tmp/')),
		readable: [],
		writable,
		readOnly: resolver ? [resolver] : [],
		// Node may be installed in a home.
		programs: [process.execPath],
		hidden: sockets.map(path => ({path, isFolder: false})),
		hasNetwork: true,
		capabilities: setpriv ? ['CAP_SETUID', 'CAP_SETGID'] : [],
		isOtherUser: true,
		// Only the sandbox's user may enter its workspace, so the working directory changes later.
		cwd: '/',
	};
}

/** Returns the command that drops root's privileges to those of `user`, within bubblewrap. */
export function dropArguments({setpriv}: Bubblewrap, user: number | undefined): readonly string[] {
	return setpriv && user !== undefined
		? [setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--']
		: [];
}

/** Returns whether this process is root on the machine, which a user namespace wouldn't restrict. */
export function isRoot(): boolean {
	return process.getuid?.() === 0;
}

/** The first user id of sandboxes if root runs the server: a range that no system assigns. */
const firstUser = 1_879_048_192;
const users = 2 ** 27;

/** Returns a user id for a sandbox, always the same for a `seed` in 0..2^32-1; `nobody` if few ids exist. */
export function userOf(seed: number): number {
	try {
		const [, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
		return (count ?? 0) > firstUser + users ? firstUser + (seed % users) : 65_534;
	} catch {
		return 65_534;
	}
}

/** With these, bubblewrap reads a filter of system calls. */
export const filterOptions = ['--seccomp', '4'] as const;

/** Writes the filter to the program that was started with `filterOptions`. */
export function giveFilter({stdio: {4: channel}}: ChildProcess, filter: Buffer | undefined): void {
	if (filter && channel && 'end' in channel) {
		channel.on('error', () => undefined);
		channel.end(filter);
	}
}
