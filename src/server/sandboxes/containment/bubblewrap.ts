import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, isAbsolute, join} from 'node:path';
import {promisify} from 'node:util';

/** A bubblewrap that works here, and what it can do. */
export type Bubblewrap = {
	readonly program: string;
	/** Whether a tmpfs can have a size. */
	readonly hasSizes: boolean;
	/** Options that make a user namespace; none where root drops its rights, or where bubblewrap is setuid. */
	readonly userNamespace: readonly string[];
	/** Where root runs the server: the program that makes each sandbox another user of the machine. */
	readonly setpriv?: string;
};

type Options = {
	/** The only folders that can be written. */
	readonly writable: readonly string[];
	/** Folders that must not be read: homes, and the server's own data. */
	readonly hidden: readonly string[];
	/** A folder on the disk that stands in for temporary file systems without a size. */
	readonly temporary: string;
	/** Most bytes that a temporary file system may hold, in memory. */
	readonly scratchBytes: number;
	/** What the sandbox looks names up with: a file, and where it belongs. */
	readonly resolver?: readonly [file: string, path: string];
};

/** What the kernel lets root write, whatever the capabilities are. Bubblewrap itself takes some for read-only already. */
const kernelControls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map(name => `/proc/${name}`);

/**
 * Arguments of bubblewrap (SAFETY 15): the machine is read-only, homes and run-time sockets are empty, memory behind files
 * has a size, processes see only each other and end with their supervisor. The order counts: a later mount covers an
 * earlier one, and what is covered is closed for writing when the last mount point in it is made.
 */
export function bubblewrapArguments(
	{hasSizes, userNamespace, setpriv}: Bubblewrap,
	{writable, hidden, temporary, scratchBytes, resolver}: Options,
): readonly string[] {
	const scratch = (path: string) =>
		hasSizes ? ['--perms', '1777', '--size', String(scratchBytes), '--tmpfs', path] : ['--bind', temporary, path];
	const covered = outermost([...hidden, '/tmp']).filter(folder => folder !== '/tmp');
	return [
		...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...scratch('/tmp')],
		...covered.flatMap(folder => ['--tmpfs', folder]),
		// Node may be installed in a home.
		...mount('--ro-bind', process.execPath, process.execPath),
		...writable.flatMap(folder => mount('--bind', folder, folder)),
		...(resolver ? mount('--ro-bind', ...resolver) : []),
		...['/dev', ...covered].flatMap(folder => ['--remount-ro', folder]),
		...scratch('/dev/shm'),
		...kernelControls.flatMap(path => ['--ro-bind-try', path, path]),
		...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', ...userNamespace],
		...['--cap-drop', 'ALL', ...(setpriv ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : [])],
		// Only the user that it becomes may enter its workspace.
		...['--die-with-parent', '--chdir', '/'],
	];
}

/** The folders that lie in no other one of them: what lies in a hidden folder is hidden with it. */
function outermost(folders: readonly string[]): readonly string[] {
	const isInside = (folder: string) => folders.some(other => folder.startsWith(`${other}/`));
	return [...new Set(folders)].filter(folder => !isInside(folder));
}

/** Bubblewrap itself makes the folder of a mount point for root alone. */
function mount(kind: string, from: string, to: string): readonly string[] {
	return ['--dir', dirname(to), kind, from, to];
}

/** The command that gives up the rights of root for those of `user`, within bubblewrap. */
export function dropArguments({setpriv}: Bubblewrap, user: number | undefined): readonly string[] {
	return setpriv && user !== undefined
		? [setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--']
		: [];
}

/** The bubblewrap of PATH that works with these folders hidden, undefined where there is none. */
export async function findBubblewrap(path: string, hidden: readonly string[]): Promise<Bubblewrap | undefined> {
	for (const program of programsOf(path, 'bwrap')) {
		const {stdout: help} = await promisify(execFile)(program, ['--help'], {env: {}, timeout: 5000}).catch(() => ({
			stdout: '',
		}));
		const hasSizes = help.includes('--size') && help.includes('--perms');
		for (const way of waysOf(path, help)) {
			const found = {program, hasSizes, ...way};
			if (help && (await works(found, hidden))) {
				return found;
			}
		}
	}

	return undefined;
}

/** How a sandbox can be kept from the rights of who runs the server, the best first. */
function waysOf(path: string, help: string): readonly Pick<Bubblewrap, 'userNamespace' | 'setpriv'>[] {
	if (isRoot()) {
		return programsOf(path, 'setpriv').map(setpriv => ({userNamespace: [], setpriv}));
	}

	const ids = ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)];
	const own = ['--unshare-user', ...ids];
	return [
		...(help.includes('--disable-userns') ? [{userNamespace: [...own, '--disable-userns']}] : []),
		{userNamespace: own},
		{userNamespace: []},
	];
}

/** Whether this process is root of the machine: its user 0 can do what no namespace of users bounds. */
export function isRoot(): boolean {
	return process.getuid?.() === 0;
}

/** The first id of the users that sandboxes get where root runs the server: a range that no system hands out. */
const firstUser = 1_879_048_192;
const users = 2 ** 27;

/** A user id for a sandbox, the same one for the same `seed` in 0..2^32-1. Where few ids exist, `nobody`. */
export function userOf(seed: number): number {
	try {
		const [, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
		return (count ?? 0) > firstUser + users ? firstUser + (seed % users) : 65_534;
	} catch {
		return 65_534;
	}
}

/** Where programs of that name may be, by the absolute folders of PATH. */
export function programsOf(path: string, name: string): readonly string[] {
	return path
		.split(':')
		.filter(isAbsolute)
		.map(folder => join(folder, name));
}

/** Being installed is not enough: a kernel or a container may forbid what it does. */
async function works(found: Bubblewrap, hidden: readonly string[]): Promise<boolean> {
	const options = {writable: [], hidden, temporary: '/tmp', scratchBytes: 1024 ** 2};
	const program = [...dropArguments(found, userOf(0)), process.execPath, '-e', ''];
	const args = [...bubblewrapArguments(found, options), '--', ...program];
	return await promisify(execFile)(found.program, args, {env: {}, timeout: 5000}).then(
		() => true,
		() => false,
	);
}
