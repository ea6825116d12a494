import {totalmem} from 'node:os';
import {type Bubblewrap, bubblewrapArguments, type HiddenPlace} from '../../containment/bubblewrap.ts';
import type {GuardedGit} from '../obeyed/obeyed-places.ts';
import type {FolderSearch} from '../paths/search-folder.ts';
import type {WithheldFiles} from '../policy/withheld-files.ts';

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

/** The share of the memory that a command may use for files in memory. */
const scratchShare = 1 / 4;

/** Returns the arguments of bubblewrap for a command with this layout (SAFETY 15). */
export function sandboxArguments(bubblewrap: Bubblewrap, layout: SandboxLayout): readonly string[] {
	const {workspace, writable, readOnly, capabilities = []} = layout;
	const policy = {
		...layout,
		capabilities,
		scratchBytes: Math.floor(totalmem() * scratchShare),
		hasScratch: false,
		programs: [],
		writable: [workspace, ...new Set(writable.toSorted())],
		readOnly: readOnly.map(path => [path, path] as const),
		isOtherUser: false,
		cwd: workspace,
	};
	return [...bubblewrapArguments(bubblewrap, policy), '--new-session'];
}
