import {isAbsolute, join, posix} from 'node:path';
import type {McpFile, McpServer} from '../../config/mcp/mcp-file.ts';
import {folderSlug} from '../../storage/session-folder.ts';

/** The file of a project that names MCP servers, in the shape that MCP clients share. */
export const projectMcpFile = '.mcp.json';

/** The user's own, in the state folder. */
export const ownMcpFile = 'mcp.json';

/** Returns the user's own for one project, which nobody else gets. It is in the state folder, too. */
export function localMcpFile(root: string): string {
	return join('projects', folderSlug(root), ownMcpFile);
}

/** Returns what a file of MCP servers says, or its fault. */
export async function readServers(text: string): Promise<{readonly mcp: McpFile} | {readonly fault: string}> {
	const {parseMcpFile} = await import('../../config/mcp/mcp-file.ts');
	const mcp = parseMcpFile(text);
	return 'fault' in mcp ? mcp : {mcp};
}

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
