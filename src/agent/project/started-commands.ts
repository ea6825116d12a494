import {isAbsolute, posix} from 'node:path';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import type {FileKind, ProjectFile} from './project-files.ts';

/** What a file makes the program start, as the text of a shell command. */
export type StartedCommand = {
	readonly command: string;
	/** The kind of the scripts that it names. */
	readonly scripts: Extract<FileKind, 'hook script' | 'server script' | 'server variables'>;
};

/** Returns the commands of hooks and MCP servers in these files. */
export function startedCommands(
	files: readonly Pick<ProjectFile, 'path' | 'settings' | 'mcp'>[],
): readonly StartedCommand[] {
	return files.flatMap(({path, settings, mcp}) => [
		...(settings?.hooks ?? []).map(({command}) => ({command, scripts: 'hook script' as const})),
		...(mcp?.servers ?? []).flatMap(server => {
			const command = serverCommand(server);
			const names = envFileCommand(server, path);
			return [
				...(command === undefined ? [] : [{command, scripts: 'server script' as const}]),
				...(names === undefined ? [] : [{command: names, scripts: 'server variables' as const}]),
			];
		}),
	]);
}

/** Returns the command line of a server, quoted for a shell; undefined for one that isn't started here. */
export function serverCommand(server: McpServer): string | undefined {
	return server.type === 'stdio' ? [server.command, ...server.args].map(quoted).join(' ') : undefined;
}

/** Returns a command line that names the `envFile` of a server as it names scripts: it decides what they do, too. */
export function envFileCommand({envFile}: McpServer, path: string): string | undefined {
	return envFile === undefined ? undefined : `cat ${quoted(envFileIn(path, envFile))}`;
}

/** Returns the path of an `envFile` that the file at `path` names, relative to the root of the project unless it is absolute. */
export function envFileIn(path: string, envFile: string): string {
	return isAbsolute(path) ? envFile : posix.join(posix.dirname(path), envFile);
}

function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
