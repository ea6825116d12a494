import {execFile} from 'node:child_process';
import {isAbsolute, join} from 'node:path';

type Options = {
	/** The only folders that can be written. */
	readonly writable: readonly string[];
	/** Folders that must not be read: homes, and the server's own data. */
	readonly hidden: readonly string[];
	readonly cwd: string;
};

/**
 * Arguments of bubblewrap (SAFETY 15): the machine is read-only, homes and run-time sockets are empty, processes see only
 * each other and end with their supervisor. The network stays on, because the services of a sandbox are reached through
 * loopback. The order counts: a later mount covers an earlier one. A server that root runs would hand its capabilities on,
 * with which a program takes the covers off again.
 */
export function bubblewrapArguments({writable, hidden, cwd}: Options): readonly string[] {
	return [
		...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
		...hidden.flatMap(folder => ['--tmpfs', folder]),
		// Node may be installed in a home.
		...['--ro-bind', process.execPath, process.execPath],
		...writable.flatMap(folder => ['--bind', folder, folder]),
		...['--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL', '--die-with-parent', '--chdir', cwd],
	];
}

/** The bubblewrap of PATH that works with these folders hidden, undefined where there is none. */
export async function findBubblewrap(path: string, hidden: readonly string[]): Promise<string | undefined> {
	for (const folder of path.split(':').filter(isAbsolute)) {
		const program = join(folder, 'bwrap');
		if (await works(program, hidden)) {
			return program;
		}
	}

	return undefined;
}

/** Being installed is not enough: a kernel or a container may forbid what it does. */
function works(program: string, hidden: readonly string[]): Promise<boolean> {
	const args = bubblewrapArguments({writable: [], hidden, cwd: '/'});
	return new Promise(resolve => {
		execFile(program, [...args, process.execPath, '-e', ''], {env: {}, timeout: 5000}, error => resolve(!error));
	});
}
