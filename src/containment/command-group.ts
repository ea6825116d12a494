import {mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {findOwnCgroup} from './cgroup-location.ts';

/** A control group for the processes of one command, however they leave its process group and environment. */
export type CommandGroup = {
	/** The file that takes the id of a process that joins. */
	readonly joinFile: string;
	/** Kills all of its processes and removes it. */
	readonly end: () => Promise<void>;
};

const prefix = 'service-command-';
/** An older group without processes was left behind by a program that was killed. */
const staleAfterMs = 60_000;
const maxRounds = 20;
const roundMs = 10;

/** Creates a control group (version 2) below our own. Returns undefined where the system doesn't let us. */
export function openCommandGroup(id: string, platform = process.platform): CommandGroup | undefined {
	const parent = platform === 'linux' ? findOwnCgroup('cgroup2')?.own : undefined;
	if (parent === undefined) {
		return undefined;
	}

	const path = join(parent, prefix + id);
	const killFile = join(path, 'cgroup.kill');
	try {
		removeStale(parent);
		mkdirSync(path);
		// Kernels before 5.14 have none.
		statSync(killFile);
	} catch {
		remove(path);
		return undefined;
	}

	return {
		joinFile: join(path, 'cgroup.procs'),
		async end() {
			for (let round = 0; round < maxRounds; round++) {
				try {
					writeFileSync(killFile, '1');
				} catch {
					// It is gone, or not ours any more.
				}

				if (remove(path)) {
					return;
				}

				await sleep(roundMs);
			}
		},
	};
}

function removeStale(parent: string): void {
	for (const name of readdirSync(parent).filter(each => each.startsWith(prefix))) {
		const path = join(parent, name);
		if (Date.now() - (statSync(path, {throwIfNoEntry: false})?.mtimeMs ?? Date.now()) > staleAfterMs) {
			remove(path);
		}
	}
}

/** Removes a group and those in it; false while it has processes. */
function remove(path: string): boolean {
	try {
		for (const entry of readdirSync(path, {withFileTypes: true}).filter(each => each.isDirectory())) {
			remove(join(path, entry.name));
		}

		rmdirSync(path);
		return true;
	} catch {
		return statSync(path, {throwIfNoEntry: false}) === undefined;
	}
}
