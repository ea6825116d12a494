import type {Tool} from '../../core/session/tool.ts';
import {systemTailClock} from '../../logs/tail-clock.ts';
import type {Places} from '../policy/protected-places.ts';
import {createEditFile} from './edit-file.ts';
import {createEnvironmentLogs} from './environment-logs.ts';
import {createKnownLogs, type OpenLog} from './environment-logs-known.ts';
import {createListFiles} from './list-files.ts';
import {createReadFile} from './read-file.ts';
import {createSearchText} from './search-text.ts';
import {createWaitForLog} from './wait-for-log.ts';
import {createWriteFile} from './write-file.ts';

/** Returns the tools for the working folder. */
export function createFolderTools(places: Places): readonly Tool[] {
	return [
		createListFiles(places),
		createReadFile(places),
		createSearchText(places),
		createEditFile(places),
		createWriteFile(places),
	];
}

/** Returns the tools for logs of sandboxes. */
export function createLogTools(openLog: OpenLog): readonly Tool[] {
	const knownLogs = createKnownLogs(openLog, systemTailClock.now);
	return [createEnvironmentLogs(knownLogs), createWaitForLog(knownLogs, systemTailClock)];
}
