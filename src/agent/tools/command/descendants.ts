import {readdirSync, readFileSync} from 'node:fs';
import process from 'node:process';

/** How often it looks: a few short reads for each process of the command. */
const intervalMs = 100;

/** The processes that a command started, also after they left its group and cleared their environment. */
export type Descendants = {
	/** Looks once more, and returns those that still run. */
	readonly running: () => readonly number[];
	/** Ends looking. */
	readonly stop: () => void;
};

/**
 * Follows the processes below one while it runs. It knows each that had a parent of the command when it looked: one that is
 * started by a process, which ends, both between two looks, is never seen. Linux alone tells.
 */
export function followDescendants(root: number | undefined, platform = process.platform): Descendants {
	/** When each began, so that another process with its id is not taken for it. */
	const known = new Map<number, string>();
	const add = (pid: number) => {
		const begun = beginOf(pid);
		if (begun !== undefined && !known.has(pid)) {
			known.set(pid, begun);
		}
	};

	const look = () => {
		// A map also yields what is added meanwhile.
		for (const [pid, begun] of known) {
			if (beginOf(pid) === begun) {
				childrenOf(pid).forEach(add);
			} else {
				known.delete(pid);
			}
		}
	};

	if (root === undefined || platform !== 'linux') {
		return {running: () => [], stop: () => undefined};
	}

	add(root);
	const timer = setInterval(look, intervalMs);
	timer.unref();
	return {
		running() {
			look();
			return [...known.keys()].filter(pid => pid !== root);
		},
		stop: () => clearInterval(timer),
	};
}

/** Returns when a process began, in ticks since the system did; undefined for none, and for one that has ended. */
function beginOf(pid: number): string | undefined {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
			.replace(/^.*\) /s, '')
			.split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
	} catch {
		return undefined;
	}
}

function childrenOf(pid: number): readonly number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
			readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
		);
	} catch {
		return [];
	}
}
