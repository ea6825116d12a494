import type {Tool} from '../../core/tool.ts';
import {systemTailClock} from '../../logs/tail.ts';
import {createEnvironmentLogs} from './environment-logs.ts';
import {createKnownLogs, type OpenLog} from './environment-logs-known.ts';
import {createListFiles} from './list-files.ts';
import {createReadFile} from './read-file.ts';
import {createSearchText} from './search-text.ts';
import {createWaitForLog} from './wait-for-log.ts';

type Options = {
	/** Where `service` keeps its state, which no tool shows. */
	readonly stateFolder: string;
	/** Finds logs of sandboxes; without it there are no tools for them. */
	readonly openLog?: OpenLog;
};

/** All tools of the agent. */
export function createTools({stateFolder, openLog}: Options): readonly Tool[] {
	const files = [createListFiles({stateFolder}), createReadFile({stateFolder}), createSearchText({stateFolder})];
	return openLog ? [...files, ...logTools(openLog)] : files;
}

function logTools(openLog: OpenLog): readonly Tool[] {
	const knownLogs = createKnownLogs(openLog, systemTailClock.now);
	return [createEnvironmentLogs(knownLogs), createWaitForLog(knownLogs, systemTailClock)];
}
