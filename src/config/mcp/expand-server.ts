import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {McpServer} from './mcp-file.ts';

/** `${NAME}`, as some clients write it `${env:NAME}`, each with a default or without. */
const variable = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
/** What only an editor can replace. */
const foreign = /\$\{(?:input|command|config|file):[^}]*\}/;

/** A server with its variables replaced. */
export type ExpandedServer = {
	readonly server: McpServer;
	/** The values of the variables that were read: the user's, so that no output may show them. */
	readonly values: readonly string[];
};

/**
 * Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` in command, arguments, environment, URL and headers. An empty variable counts
 * as unset, as in a shell. Throws AppError("usage") for a variable that is unset and
 * has no default, and for what is no variable, such as `${input:key}`.
 */
export function expandServer(server: McpServer, env: Environment): ExpandedServer {
	const values = new Set<string>();
	const expand = (text: string) => {
		const [other] = foreign.exec(text) ?? [];
		if (other !== undefined) {
			throw new AppError('usage', `The MCP server “${server.name}” uses ${other}, which is not supported.`, {
				hint: 'Set a variable NAME, and write ${NAME}.',
			});
		}

		return text.replace(variable, (_, name: string, fallback: string | undefined) => {
			const value = env[name] || fallback;
			if (value === undefined) {
				throw new AppError('usage', `The MCP server “${server.name}” needs the variable ${name}, which is not set.`, {
					hint: `Set ${name}, or write \${${name}:-default}.`,
				});
			}

			if (env[name]) {
				values.add(value);
			}

			return value;
		});
	};
	const each = (pairs: Readonly<Record<string, string>>) =>
		Object.fromEntries(Object.entries(pairs).map(([name, text]) => [name, expand(text)]));
	const expanded: McpServer =
		server.type === 'http'
			? {...server, url: expand(server.url), headers: each(server.headers)}
			: {
					...server,
					command: expand(server.command),
					args: server.args.map(expand),
					env: each(server.env),
					...(server.cwd !== undefined && {cwd: expand(server.cwd)}),
				};
	return {server: expanded, values: [...values]};
}

/** Returns the names of the variables that a server reads from the user's environment. */
export function variablesOf(server: McpServer): readonly string[] {
	const texts =
		server.type === 'http'
			? [server.url, ...Object.values(server.headers)]
			: [server.command, ...server.args, ...Object.values(server.env), server.cwd ?? ''];
	return [...new Set(texts.flatMap(text => [...text.matchAll(variable)].map(([, name = '']) => name)))];
}
