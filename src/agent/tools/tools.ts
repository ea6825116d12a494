import type {Tool} from '../../core/session/tool.ts';
import {systemTailClock} from '../../logs/tail-clock.ts';
import type {Places} from '../policy/protected-places.ts';
import {createEnvironmentLogs} from './environment-logs.ts';
import {createKnownLogs, type OpenLog} from './environment-logs-known.ts';
import {createListFiles} from './list-files.ts';
import {createReadFile} from './read-file.ts';
import {createSearchText} from './search-text.ts';
import {createWaitForLog} from './wait-for-log.ts';

type Options = Places & {
	/** Finds logs of sandboxes; without it there are no tools for them. */
	readonly openLog?: OpenLog;
};

/** All tools of the agent: those that see the working folder, and those that see logs of sandboxes. */
export function createTools({openLog, ...places}: Options): readonly Tool[] {
	return [...createFolderTools(places), ...(openLog ? createLogTools(openLog) : [])];
}

/** The tools that see the working folder. */
export function createFolderTools(places: Places): readonly Tool[] {
	return [createListFiles(places), createReadFile(places), createSearchText(places)];
}

/** The tools that see logs of sandboxes. */
export function createLogTools(openLog: OpenLog): readonly Tool[] {
	const knownLogs = createKnownLogs(openLog, systemTailClock.now);
	return [createEnvironmentLogs(knownLogs), createWaitForLog(knownLogs, systemTailClock)];
}
