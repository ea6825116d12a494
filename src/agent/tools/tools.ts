import type {Tool} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import {systemTailClock} from '../../logs/tail-clock.ts';
import type {Places} from '../policy/protected-places.ts';
import {createAskUser} from './ask-user.ts';
import {createCommandSession} from './command/command-session.ts';
import {createEditFile} from './edit-file.ts';
import {createEnvironmentLogs} from './environment-logs.ts';
import {createKnownLogs, type SharedLog} from './environment-logs-known.ts';
import {createFetchUrl, type FetchUrlOptions} from './fetch-url.ts';
import {createJobOutput} from './job-output.ts';
import {createJobStop} from './job-stop.ts';
import {createListFiles} from './list-files.ts';
import {createReadFile} from './read-file.ts';
import {createRunCommand} from './run-command.ts';
import {createSearchText} from './search-text.ts';
import {createTask} from './task.ts';
import {createTodo} from './todo.ts';
import {createWaitForLog} from './wait-for-log.ts';
import {createWriteFile} from './write-file.ts';

/** Returns the tools for the working folder. `session` runs commands; by default one of its own. */
export function createFolderTools(places: Places, session = createCommandSession({places})): readonly Tool[] {
	return [
		createListFiles(places),
		createReadFile(places, session.outputFiles),
		createSearchText(places),
		createEditFile(places),
		createWriteFile(places),
		createRunCommand(session),
		createJobOutput(session),
		createJobStop(session),
	];
}

/** Returns the tools for talking with the user about the work. `ask` returns undefined if no user can be asked. */
export function createUserTools(ask: () => AskUser | undefined): readonly Tool[] {
	return [createTodo(), createAskUser(ask)];
}

/** Returns the tool for sub-agents. */
export function createTaskTools(): readonly Tool[] {
	return [createTask()];
}

/** Returns the tools for logs of sandboxes. */
export function createLogTools(openLog: SharedLog): readonly Tool[] {
	const knownLogs = createKnownLogs(openLog, systemTailClock.now);
	return [createEnvironmentLogs(knownLogs), createWaitForLog(knownLogs, systemTailClock)];
}

/** Returns the tools for the web. */
export function createWebTools(options: FetchUrlOptions): readonly Tool[] {
	return [createFetchUrl(options)];
}
