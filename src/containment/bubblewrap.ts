import {execFile} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {searchFolders} from '../core/search-path.ts';

/** A working bubblewrap and its features. */
export type Bubblewrap = {
	readonly program: string;
	/** Whether it can limit the size of a tmpfs. */
	readonly hasSizes: boolean;
	/** Options that create a user namespace; none if root drops its privileges, or if bubblewrap is setuid. */
	readonly userNamespace: readonly string[];
	/** If root runs the server: the program that runs each sandbox as another user. */
	readonly setpriv?: string;
};

type Options = {
	/** The only writable folders. */
	readonly writable: readonly string[];
	/** Folders that must not be readable: homes and the server's own data. */
	readonly hidden: readonly string[];
	/** A folder on disk that replaces temporary file systems without a size limit. */
	readonly temporary: string;
	/** Maximum bytes of a temporary file system, in memory. */
	readonly scratchBytes: number;
	/** The sandbox's resolver configuration: a file, and the path where it is mounted. */
	readonly resolver?: readonly [file: string, path: string];
};

/** What the kernel lets root write, whatever the capabilities are. Bubblewrap itself only protects some of it. */
const kernelControls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map(name => `/proc/${name}`);

/**
 * Returns arguments of bubblewrap (SAFETY 15): the machine is read-only, homes and runtime sockets are empty, in-memory
 * files have a size limit, processes see only each other and end with their supervisor. The order matters: later mounts
 * cover earlier ones, and covers become read-only after the last mount point inside them was created.
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
		// Only the sandbox's user may enter its workspace, so the working directory changes later.
		...['--die-with-parent', '--chdir', '/'],
	];
}

/** Returns the folders that are not inside another one of them. */
function outermost(folders: readonly string[]): readonly string[] {
	const isInside = (folder: string) => folders.some(other => folder.startsWith(`${other}/`));
	return [...new Set(folders)].filter(folder => !isInside(folder));
}

/** Creates the mount point's folder with normal permissions. Bubblewrap itself would create it for root only. */
function mount(kind: string, from: string, to: string): readonly string[] {
	return ['--dir', dirname(to), kind, from, to];
}

/** Returns the command that drops root's privileges to those of `user`, within bubblewrap. */
export function dropArguments({setpriv}: Bubblewrap, user: number | undefined): readonly string[] {
	return setpriv && user !== undefined
		? [setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--']
		: [];
}

/** Returns the first bubblewrap in PATH that works with these folders hidden; undefined if there is none. */
export async function findBubblewrap(path: string, hidden: readonly string[]): Promise<Bubblewrap | undefined> {
	for (const program of programsOf(path, 'bwrap')) {
		const {stdout: help} = await promisify(execFile)(program, ['--help'], {env: {}, timeout: 5000}).catch(() => ({
			stdout: '',
		}));
		const hasSizes = help.includes('--size') && help.includes('--perms');
		for (const drop of privilegeDrops(path, help)) {
			const found = {program, hasSizes, ...drop};
			if (help && (await works(found, hidden))) {
				return found;
			}
		}
	}

	return undefined;
}

/** Returns the ways to drop the server's privileges, best first. */
function privilegeDrops(path: string, help: string): readonly Pick<Bubblewrap, 'userNamespace' | 'setpriv'>[] {
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

/** Returns where a program is installed, in the order of PATH. */
export function programsOf(path: string, name: string): readonly string[] {
	return searchFolders(path)
		.map(folder => join(folder, name))
		.filter(existsSync);
}

/** Tests it: a kernel or container may forbid what an installed bubblewrap needs. */
async function works(found: Bubblewrap, hidden: readonly string[]): Promise<boolean> {
	const options = {writable: [], hidden, temporary: '/tmp', scratchBytes: 1024 ** 2};
	const program = [...dropArguments(found, userOf(0)), process.execPath, '--version'];
	const args = [...bubblewrapArguments(found, options), '--', ...program];
	return await promisify(execFile)(found.program, args, {env: {}, timeout: 5000}).then(
		() => true,
		() => false,
	);
}
