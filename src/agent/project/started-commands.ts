import type {McpServer} from '../../config/mcp/mcp-file.ts';
import type {FileKind, ProjectFile} from './project-files.ts';

/** What a file makes the program start, as the text of a shell command. */
export type StartedCommand = {
	readonly command: string;
	/** The kind of the scripts that it names. */
	readonly scripts: Extract<FileKind, 'hook script' | 'server script'>;
};

/** Returns the commands of hooks and MCP servers in these files. */
export function startedCommands(files: readonly Pick<ProjectFile, 'settings' | 'mcp'>[]): readonly StartedCommand[] {
	return files.flatMap(({settings, mcp}) => [
		...(settings?.hooks ?? []).map(({command}) => ({command, scripts: 'hook script' as const})),
		...(mcp?.servers ?? []).flatMap(server => {
			const command = serverCommand(server);
			return command === undefined ? [] : [{command, scripts: 'server script' as const}];
		}),
	]);
}

/** Returns the command line of a server, quoted for a shell; undefined for one that isn't started here. */
export function serverCommand(server: McpServer): string | undefined {
	return server.type === 'stdio' ? [server.command, ...server.args].map(quoted).join(' ') : undefined;
}

function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
