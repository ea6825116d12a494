import type {FolderSearch} from '../paths/search-folder.ts';
import type {WithheldFiles} from '../policy/withheld-files.ts';
import {outermost} from './existing.ts';
import type {GuardedGit} from './obeyed-places.ts';

/**
 * A file or folder that a command can't read: it sees an empty folder, or what it may not open. `mask` is what it sees
 * instead, if that has to look like the file from outside.
 */
export type HiddenPlace = {readonly path: string; readonly isFolder: boolean; readonly mask?: string};

/** What a sandboxed command sees. All paths are absolute and real: bubblewrap doesn't follow links on its own. */
export type SandboxLayout = {
	/** The working folder, which is writable. */
	readonly workspace: string;
	/** The folder that is `/tmp`: private to the session, on disk. */
	readonly temporary: string;
	/** Folders that are empty but for what `readable` and `workspace` put there: homes, sockets of services. */
	readonly covered: readonly string[];
	/** Files and folders below `covered` that can be read: tools of the user. */
	readonly readable: readonly string[];
	/** Folders besides the workspace that are writable. Each is a mount of its own, so it can't be renamed. */
	readonly writable: readonly string[];
	/** Files and folders that can be read, but not changed, renamed or removed. */
	readonly readOnly: readonly string[];
	readonly hidden: readonly HiddenPlace[];
	/** Empty folders that bubblewrap creates to have something to mount on. They are to be removed at the end. */
	readonly created: readonly string[];
	readonly git: GuardedGit;
	/** The files of the working folder that can't be read or changed. */
	readonly withheld: WithheldFiles;
	/** What was in the working folder. */
	readonly listing: FolderSearch;
	/** True to share the network of the machine. */
	readonly hasNetwork: boolean;
	/** Capabilities to keep if root runs the program; none by default. */
	readonly capabilities?: readonly string[];
};

/** What the kernel lets root write, whatever the capabilities are. */
const kernelControls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map(name => `/proc/${name}`);

/**
 * Returns the arguments of bubblewrap for a layout (SAFETY 15). The order matters: later mounts cover earlier ones, and
 * covers become read-only once everything inside them is mounted.
 */
export function sandboxArguments(layout: SandboxLayout): readonly string[] {
	const {workspace, temporary, covered, readable, writable, readOnly, hidden} = layout;
	const covers = outermost(covered).filter(folder => folder !== '/tmp');
	return [
		...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', temporary, '/tmp'],
		...kernelControls.flatMap(path => ['--ro-bind-try', path, path]),
		...covers.flatMap(folder => ['--tmpfs', folder]),
		...outermost(readable).flatMap(path => ['--ro-bind-try', path, path]),
		// A folder comes before those in it, which it would cover.
		...[workspace, ...new Set(writable.toSorted())].flatMap(path => ['--bind', path, path]),
		...readOnly.flatMap(path => ['--ro-bind', path, path]),
		...hidden.flatMap(hide),
		...covers.flatMap(folder => ['--remount-ro', folder]),
		...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
		...(layout.hasNetwork ? [] : ['--unshare-net']),
		...['--cap-drop', 'ALL', ...(layout.capabilities ?? []).flatMap(name => ['--cap-add', name])],
		...['--die-with-parent', '--new-session', '--chdir', workspace],
	];
}

/** A device can't be opened on a mount without devices, so a hidden file is unreadable rather than empty. */
function hide({path, isFolder, mask}: HiddenPlace): readonly string[] {
	if (mask !== undefined) {
		return ['--ro-bind', mask, path];
	}

	return isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}
