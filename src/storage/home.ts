import {userInfo} from 'node:os';
import {isAbsolute, join, resolve} from 'node:path';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {explainFileError} from './file-error.ts';
import {makePrivateFolder, sweepTemporaryFiles} from './private-folder.ts';

/** The state folder of `service`, and the paths in it. All are absolute. */
export type Home = {
	readonly path: string;
	readonly configFile: string;
	readonly promptHistoryFile: string;
	/** What was typed and not sent. */
	readonly draftsFile: string;
	/** Recently seen ids, for completion. */
	readonly recentsFile: string;
	/** Recent sessions, runtimes and environments of servers. */
	readonly sightingsFile: string;
	/** The rules that the user keeps for folders. */
	readonly approvalsFile: string;
	/** The agents of other makers that the user added. */
	readonly agentsFile: string;
	/** Which files of which folders the user trusts. */
	readonly trustFile: string;
	/** Measured character widths, by terminal. */
	readonly terminalsFile: string;
	/** The last text that was copied where the terminal may not copy. */
	readonly copiedFile: string;
	/** Has a folder for each working folder, with a file for each session. */
	readonly sessions: string;
	/** Has the images that models were shown. */
	readonly images: string;
	/** Has compiled code of the program itself, written and checked by `src/loader/`. */
	readonly codeCache: string;
	/** Default data folder of a server on this machine. */
	readonly server: string;
	/** Has what the host of sessions on this machine is reached by. */
	readonly host: string;
	/** Has a note, with its lock, for each session that is handed over to this machine, while that changes a clone. */
	readonly begun: string;
};

type Options = {
	readonly platform?: NodeJS.Platform;
	/** The user who must own the folder; by default the user of this process. */
	readonly uid?: number;
};

/**
 * Opens `$SERVICE_HOME`, by default `~/.service`: creates it with mode 0700, repairs a looser mode, and deletes temporary
 * files of killed processes. Synchronous with few calls, because the first frame waits for it. Throws AppError("failed") for
 * a symbolic link, another owner, or a folder that can't be created (SAFETY 10).
 */
export function openHome(env: Environment, options: Options = {}): Home {
	const path = homePath(env);
	try {
		makePrivateFolder(path, {hint: 'Set SERVICE_HOME to a folder of your own, not a link.', ...options});
		sweepTemporaryFiles(path);
	} catch (error) {
		throw explainFileError(error, 'create', path);
	}

	return homeAt(path);
}

/** Returns the paths of a state folder, which need not exist. */
export function homeAt(path: string): Home {
	return {
		path,
		configFile: join(path, 'config.json'),
		promptHistoryFile: join(path, 'prompt-history.jsonl'),
		draftsFile: join(path, 'drafts.json'),
		recentsFile: join(path, 'recents.json'),
		sightingsFile: join(path, 'sightings.json'),
		approvalsFile: join(path, 'approvals.json'),
		agentsFile: join(path, 'agents.json'),
		trustFile: join(path, 'trust.json'),
		terminalsFile: join(path, 'terminals.json'),
		copiedFile: join(path, 'copied.txt'),
		sessions: join(path, 'sessions'),
		images: join(path, 'images'),
		codeCache: join(path, 'cache'),
		server: join(path, 'server'),
		host: join(path, 'host'),
		begun: join(path, 'begun'),
	};
}

/** Returns the path of the state folder, which need not exist. Throws AppError("failed") for a user without a home folder. */
export function homePath(env: Environment): string {
	return resolve(env['SERVICE_HOME'] || join(userFolder(env), '.service'));
}

/**
 * Returns the home folder of the user. An empty or relative HOME is none: what stands there would be in the working folder.
 * Throws AppError("failed") for a user without one.
 */
export function userFolder(env: Environment): string {
	const given = env['HOME'] ?? '';
	try {
		return isAbsolute(given) ? given : userInfo().homedir;
	} catch (error) {
		throw new AppError('failed', 'Your home folder is unknown.', {
			hint: 'Set HOME or SERVICE_HOME.',
			cause: error,
		});
	}
}
