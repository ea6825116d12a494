import {serverCommand} from '../../../agent/project/mcp-files.ts';
import type {McpServer} from '../../../config/mcp/mcp-file.ts';
import {isSecretName, redactPositions, shownUrl} from '../../../core/secrets/redact-positions.ts';
import {mask} from '../../../core/secrets/secret.ts';

/**
 * Returns a server in a few lines: what is started or connected to, exactly as the file says, then its variables and headers.
 * Credentials that the file itself has are masked. Untrusted.
 */
export function serverLines(server: McpServer): readonly [string, ...string[]] {
	const [kind, pairs] =
		server.type === 'http' ? (['header', server.headers] as const) : (['variable', server.env] as const);
	return [
		`MCP server ${server.name}: ${targetOf(server)}`,
		...(server.type === 'stdio' && server.cwd !== undefined ? [`  folder ${server.cwd}`] : []),
		...(server.envFile === undefined ? [] : [`  variables from ${server.envFile}`]),
		...Object.entries(pairs).map(([name, value]) => `  ${kind} ${name}: ${shown(name, value)}`),
	];
}

/** Returns what a server is: its command line, or its URL. Untrusted. */
export function targetOf(server: McpServer): string {
	return server.type === 'http' ? shownUrl(server.url) : redactPositions(serverCommand(server) ?? '');
}

/** Returns a value without a credential. A variable that stands for one is no credential itself. */
export function shown(name: string, value: string): string {
	return isSecretName(name) && !value.includes('${') ? mask : redactPositions(value);
}
