import {readdirSync, readFileSync, readlinkSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {isJsonObject, parseJson} from '../../core/json.ts';
import {isGone, parseOwner, thisProcess} from '../../storage/lock-owner.ts';
import {readPrivateFile, replaceFile} from '../../storage/private-file.ts';
import {makeFolder} from '../../storage/private-folder.ts';

/** Which processes the servers of a data folder are, so that the next one knows of a predecessor that has ended. */
export type ServerProcesses = {
	/** Keeps that this process is the server of an id, and forgets all but the last of those before it. */
	readonly announce: (server: string) => Promise<void>;
	/**
	 * Returns whether the process of a server has ended for sure: it ran under this very kernel, where its id is free or
	 * another process has it. Of a server of another machine, container or start of this machine that is never known.
	 */
	readonly hasEnded: (server: string) => boolean;
};

/** How many servers are remembered. A database that is restored may name one of the last. */
const remembered = 8;

const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Keeps the processes of servers in a folder; nowhere without one. */
export function keepServerProcesses(folder: string | undefined): ServerProcesses {
	const kernel = readKernel();
	if (folder === undefined || kernel === undefined) {
		return {announce: async () => undefined, hasEnded: () => false};
	}

	return {
		async announce(server) {
			makeFolder(folder);
			const others = readdirSync(folder)
				.filter(name => idPattern.test(name))
				.map(name => ({
					path: join(folder, name),
					at: statSync(join(folder, name), {throwIfNoEntry: false})?.mtimeMs ?? 0,
				}))
				.sort((one, other) => other.at - one.at);
			for (const {path} of others.slice(remembered - 1)) {
				rmSync(path, {force: true});
			}

			await replaceFile(join(folder, server), `${JSON.stringify({...thisProcess(), ...kernel})}\n`);
		},
		hasEnded(server) {
			// It comes from the database.
			const text = idPattern.test(server) ? readPrivateFile(join(folder, server), 4096) : undefined;
			const value = text === undefined ? undefined : parseJson(text);
			const owner = parseOwner(value);
			return (
				isJsonObject(value) &&
				owner !== undefined &&
				value['boot'] === kernel.boot &&
				value['namespace'] === kernel.namespace &&
				isGone(owner, Date.now())
			);
		},
	};
}

/** Returns what tells the ids of processes from those of other machines, starts and containers; undefined where nothing does. */
function readKernel(): {readonly boot: string; readonly namespace: string} | undefined {
	try {
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
		return {boot, namespace: readlinkSync('/proc/self/ns/pid')};
	} catch {
		return undefined;
	}
}
