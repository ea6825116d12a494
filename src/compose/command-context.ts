import {resolve} from 'node:path';
import process from 'node:process';
import type {Program} from '../command/program.ts';
import type {Traces} from '../platform/traces/traces.ts';
import {saveNewFile, writeNewFile} from '../storage/new-file.ts';
import {replaceFile} from '../storage/private-file.ts';
import {readBytes} from '../storage/read-bytes.ts';
import type {SandboxExpiry} from '../watch/watch-expiry.ts';
import type {Watches} from '../watch/watch-list.ts';
import type {AgentParts} from './agent-parts.ts';
import {createDoctor} from './doctor-parts.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import type {Servers} from './servers.ts';

/** The parts that work beside the conversation. */
type Beside = {readonly watches: Watches; readonly expiry: SandboxExpiry; readonly traces: Traces};

/** Returns what builds the context of one command. */
export function createContextFor(
	options: ProgramOptions,
	local: LocalState,
	servers: Servers,
	{models, mcp, jobs, background, judge, changes, contextWindow}: AgentParts,
	{watches, expiry, traces, entries}: Beside & Pick<Program, 'entries'>,
): Program['contextFor'] {
	const {store, env, debug} = options;
	const {platform} = servers;
	const {config, settings, folder, project, rules, recents, sightings, sessions} = local;
	const inFolder = (path: string) => resolve(folder.path(), path);
	return ({interact, live, flags, signal}) => ({
		...{
			store,
			config,
			settings,
			env,
			sightings,
			watches,
			expiry,
			models,
			jobs,
			background,
			contextWindow,
			entries: entries(),
		},
		mcp: mcp.access,
		changes: changes.open,
		...{interact, live, flags, signal},
		approvals: {rules, judge},
		diagnose: createDoctor(options, local, servers, {flags, signal, mcp: mcp.access}),
		recents: {
			recall: recents.recall,
			forget(profile) {
				recents.forget(profile);
				sightings.forget(profile);
			},
		},
		debug: debug?.write,
		sessions: sessions(),
		platform: platform.forCommand({interact, live, flags, signal}),
		traces: traces.forCommand({live: live !== undefined, flags}),
		folder: folder.path(),
		project,
		async keepCopy(text) {
			await replaceFile(local.home.copiedFile, text);
			return local.home.copiedFile;
		},
		writeFile: (path, content) => writeNewFile(inFolder(path), content),
		saveFile: (path, chunks) => saveNewFile(inFolder(path), chunks),
		readFile: (path, limit) =>
			readBytes(path === '-' ? path : inFolder(path), {maxBytes: limit, stdin: live ? undefined : process.stdin}),
	});
}
