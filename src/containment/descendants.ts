import {readdirSync, readFileSync} from 'node:fs';
import process from 'node:process';
import {readProcessStat} from '../storage/lock-owner.ts';

/** How often it looks: a few short reads for each process of the command. */
const intervalMs = 100;

/** The processes that a command started, also after they left its group and cleared their environment. */
export type Descendants = {
	/** Looks once more, and returns those that still run. */
	readonly running: () => readonly number[];
	/** Ends looking. */
	readonly stop: () => void;
};

type Options = {
	/** Gets the processes that left the group of the command, as `id:begin`, whenever others do. */
	readonly onLeft?: (processes: readonly string[]) => void;
	readonly platform?: NodeJS.Platform;
};

/**
 * Follows the processes below one, which leads a group, while it runs. It knows each that had a parent of the command when
 * it looked: one that is started by a process, which ends, both between two looks, is never seen. Linux alone tells.
 */
export function followDescendants(
	root: number | undefined,
	{onLeft = () => undefined, platform = process.platform}: Options = {},
): Descendants {
	/** When each began, so that another process with its id is not taken for it. */
	const known = new Map<number, string>();
	let told = '';
	const add = (pid: number) => {
		const found = readProcess(pid);
		if (found && !known.has(pid)) {
			known.set(pid, found.begun);
		}
	};

	const look = () => {
		const left: string[] = [];
		// A map also yields what is added meanwhile.
		for (const [pid, begun] of known) {
			const found = readProcess(pid);
			if (found?.begun === begun) {
				childrenOf(pid).forEach(add);
				left.push(...(found.group === root ? [] : [`${pid}:${begun}`]));
			} else {
				known.delete(pid);
			}
		}

		if (told !== left.join()) {
			told = left.join();
			onLeft(left);
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

/**
 * Returns the group of a process, and when it began, in ticks since the system did; undefined for none, and for one that has
 * ended.
 */
function readProcess(pid: number): {readonly group: number; readonly begun: string} | undefined {
	const fields = readProcessStat(pid);
	const [state = 'X', , group] = fields ?? [];
	return state === 'Z' || state === 'X' ? undefined : {group: Number(group), begun: fields?.[19] ?? ''};
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
