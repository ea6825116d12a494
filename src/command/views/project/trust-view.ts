import {faultText, type JudgedFile, type ProjectState, type Standing} from '../../../agent/project/project.ts';
import {formatBytes} from '../../../core/format.ts';
import type {Result} from '../../result.ts';
import {serverLines} from '../mcp/server-lines.ts';

const standings: Readonly<Record<Standing, string>> = {
	user: 'yours',
	trusted: 'trusted',
	refused: 'not trusted',
	new: 'not trusted: new',
	changed: 'not trusted: changed',
};

/** Returns the files with which a project tells the agent how to work, and whether each is used. */
export function trustTable(state: ProjectState): Result {
	const {root, files, faults, ownFaults} = state;
	return {
		kind: 'table',
		title: `Files for the agent in ${root}`,
		columns: [{label: 'file', cut: 'middle'}, {label: 'kind'}, {label: 'size', align: 'right'}, {label: 'status'}],
		rows: files.map(({path, kind, sizeBytes, standing, filesHash}) => [
			path,
			filesHash ? `${kind}, with files` : kind,
			formatBytes(sizeBytes),
			standings[standing],
		]),
		empty: 'No instructions, settings or hooks here. Write AGENTS.md with `/memory init`.',
		notes: [
			...files.flatMap(hookLines),
			...files.flatMap(({path, mcp}) => (mcp?.servers ?? []).map(server => `${serverLines(server)[0]} (${path})`)),
			...[...ownFaults, ...faults].map(faultText),
		],
		data: {root, files: files.map(dataOf), faults: [...ownFaults, ...faults].map(({path, reason}) => ({path, reason}))},
	};
}

function hookLines({path, settings}: JudgedFile): readonly string[] {
	return (settings?.hooks ?? []).map(({event, tool, command}) => {
		const when = tool === undefined ? event : `${event} ${tool}`;
		return `hook ${when}: ${command} (${path})`;
	});
}

function dataOf({path, kind, sizeBytes, standing, hash, settings, mcp}: JudgedFile) {
	const hooks = (settings?.hooks ?? []).map(({event, command, tool, timeoutSec}) => ({
		...{event, command},
		...(tool !== undefined && {tool}),
		...(timeoutSec !== undefined && {timeout_sec: timeoutSec}),
	}));
	return {
		...{path, kind, bytes: sizeBytes, status: standing, sha256: hash},
		...(settings && {hooks, deny: settings.deny}),
		...(mcp && {servers: mcp.servers.map(({name}) => name)}),
	};
}
