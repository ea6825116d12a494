import {isAbsolute, posix} from 'node:path';
import type {McpServer} from '../../config/mcp/mcp-file.ts';

/** Returns the command line of a server, quoted for a shell; undefined for one that isn't started here. */
export function serverCommand(server: McpServer): string | undefined {
	return server.type === 'stdio' ? [server.command, ...server.args].map(quoted).join(' ') : undefined;
}

/** Returns the path of an `envFile` that the file at `path` names, relative to the root of the project unless it is absolute. */
export function envFileIn(path: string, envFile: string): string {
	return isAbsolute(path) ? envFile : posix.join(posix.dirname(path), envFile);
}

function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
