import type {ChildProcess} from 'node:child_process';

/** With these, bubblewrap reports on descriptor 3. */
export const reportOptions = ['--json-status-fd', '3'] as const;

/** What bubblewrap reports of one sandbox. */
export type BubblewrapReport = {
	/** Returns the id of the first process, once bubblewrap has named it. It leads the group of the program, and ignores SIGTERM. */
	readonly pid: () => number | undefined;
	/** Resolves when it was named; never, if bubblewrap ended before. */
	readonly named: Promise<void>;
	/** Returns whether the program was started, once bubblewrap has ended by itself: it tells how a program that it started ended. */
	readonly hasStarted: () => boolean;
};

/** Reads the report of a bubblewrap that was started with `reportOptions` and a pipe as descriptor 3. */
export function readReport(child: ChildProcess): BubblewrapReport {
	let text = '';
	const pid = () => {
		const [, found] = /"child-pid": *(\d+)\D/.exec(text) ?? [];
		return found === undefined ? undefined : Number(found);
	};
	const named = new Promise<void>(resolve => {
		const channel = child.stdio[3];
		if (channel && 'on' in channel) {
			channel.on('data', chunk => {
				text = `${text}${chunk}`.slice(0, 1000);
				if (pid() !== undefined) {
					resolve();
				}
			});
			channel.on('error', () => undefined);
		}
	});
	return {pid, named, hasStarted: () => text.includes('"exit-code"')};
}

/** How often a sandbox is set up before what bubblewrap says of it counts. */
export const setupTries = 3;

/**
 * Returns whether bubblewrap failed because a mount of the machine went away between its list of mounts and its making them
 * read-only, as those of other containers do at any time. The next try doesn't meet it.
 */
export function hasLostMount(complaint: string): boolean {
	return /^bwrap: .*remount .*: (?:No such file or directory|Invalid argument)$/m.test(complaint);
}
