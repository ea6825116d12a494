import {readdirSync, statSync, unlinkSync} from 'node:fs';
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import type {Environment} from '../core/environment.ts';
import {explainFileError} from './file-error.ts';
import {temporaryName} from './private-file.ts';
import {makePrivateFolder} from './private-folder.ts';

/** The folder that holds everything `service` keeps, and where things are in it. All paths are absolute. */
export type Home = {
	readonly path: string;
	readonly configFile: string;
	readonly promptHistoryFile: string;
	/** Ids that were seen lately, for completion. */
	readonly recentsFile: string;
	/** What servers said lately of their sessions, runtimes and environments. */
	readonly sightingsFile: string;
	/** How many cells each terminal gives to what terminals disagree about. */
	readonly terminalsFile: string;
	/** One folder for each folder that was worked in, one file for each session. */
	readonly sessions: string;
	/** What a server on this machine keeps where it is told no other folder. */
	readonly server: string;
};

type Options = {
	readonly platform?: NodeJS.Platform;
	/** The user who must own the folder; the process's own user otherwise. */
	readonly uid?: number;
};

/** A temporary file that no living process can still be writing, in milliseconds. */
const orphanAge = 60 * 60 * 1000;

/** What conf's atomic write names its temporary files. */
const confTemporaryName = /^config\.json\.tmp-\d{10}[\da-f]{6}$/;

/**
 * Opens `$SERVICE_HOME`, else `~/.service`: makes it, with mode 0700, repairs a looser mode, and removes temporary files
 * that a killed process left. Synchronous and a few calls only, because the first frame waits for it.
 * Throws `AppError` (`failed`) for a symbolic link, another owner, or a folder that cannot be made (SAFETY 10).
 */
export function openHome(env: Environment, options: Options = {}): Home {
	const path = resolve(env['SERVICE_HOME'] || join(env['HOME'] || homedir(), '.service'));
	try {
		makePrivateFolder(path, {hint: 'Set SERVICE_HOME to a folder of your own, not to a link.', ...options});
		sweep(path);
	} catch (error) {
		throw explainFileError(error, 'create', path);
	}

	return {
		path,
		configFile: join(path, 'config.json'),
		promptHistoryFile: join(path, 'prompt-history.jsonl'),
		recentsFile: join(path, 'recents.json'),
		sightingsFile: join(path, 'sightings.json'),
		terminalsFile: join(path, 'terminals.json'),
		sessions: join(path, 'sessions'),
		server: join(path, 'server'),
	};
}

/** Removes our own temporary files that are too old to be in use. Best effort: another process may be faster. */
function sweep(folder: string): void {
	for (const name of readdirSync(folder)) {
		if (!temporaryName.test(name) && !confTemporaryName.test(name)) {
			continue;
		}

		const path = join(folder, name);
		const stats = statSync(path, {throwIfNoEntry: false});
		if (stats && Date.now() - stats.mtimeMs > orphanAge) {
			try {
				unlinkSync(path);
			} catch {
				// It is gone already, or will be swept next time.
			}
		}
	}
}
