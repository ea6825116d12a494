import {type ConfiguredServer, idOf} from '../../agent/mcp/configured-servers.ts';
import type {ServerStatus} from '../../agent/mcp/servers.ts';
import {entryOf, type McpServer, readEntry} from '../../config/mcp/mcp-file.ts';
import type {McpScope} from '../../config/mcp/mcp-scope.ts';
import {abortable} from '../../core/abortable.ts';
import {AppError} from '../../core/error.ts';
import {parseServerUrl} from '../../core/origin.ts';
import {isSecretName} from '../../core/secrets/redact-positions.ts';
import {readPairs} from '../argument-types.ts';
import {closest} from '../closest.ts';
import type {McpAccess} from './mcp-access.ts';

type Arguments = {
	readonly name: string;
	readonly target: readonly string[];
	readonly transport?: 'http' | 'stdio' | undefined;
	readonly env?: readonly string[] | undefined;
	readonly envFile?: string | undefined;
	readonly header?: readonly string[] | undefined;
	readonly timeout?: string | undefined;
	readonly scope?: McpScope | undefined;
};

/** Reads the server that a user describes in arguments. Throws AppError("usage"). */
export function serverFromArguments(typed: Arguments): McpServer {
	const {name, target, transport, env = [], envFile, header = [], timeout, scope} = typed;
	const [first = '', ...args] = target;
	const isUrl = /^https?:\/\//i.test(first);
	checkTarget(first);
	if (transport !== undefined && isUrl !== (transport === 'http')) {
		throw usage(isUrl ? 'A URL takes --transport http.' : 'A command takes --transport stdio.');
	}

	if (isUrl ? env.length > 0 || args.length > 0 : header.length > 0) {
		throw usage(isUrl ? 'A URL takes no --env and no arguments.' : 'A command takes no --header.');
	}

	const seconds = Number(timeout ?? 1);
	if (!(seconds > 0 && seconds <= 3600)) {
		throw usage(`Invalid --timeout “${timeout}”: not a number of seconds up to 3600.`);
	}

	const pairs = isUrl ? readHeaders(header) : readPairs('env', env);
	const open = Object.entries(pairs).find(([key, value]) => isSecretName(key) && !value.includes('${'));
	if (scope === 'project' && open) {
		throw usage(
			`${open[0]} would be in .mcp.json for everyone to read.`,
			`Write \${NAME} for its value, and set NAME.`,
		);
	}

	if (scope === 'project' && envFile !== undefined && /^[/~]/.test(envFile)) {
		throw usage('The --env-file of a project must be in it.', 'Write its path relative to .mcp.json.');
	}

	const server = readEntry(name, {
		...(isUrl
			? {type: 'http', url: first.includes('${') ? first : parseServerUrl(first).href, headers: pairs}
			: {command: first, args, env: pairs}),
		...(timeout !== undefined && {timeout: seconds * 1000}),
		...(envFile !== undefined && {envFile}),
	});
	if ('reason' in server) {
		throw usage(`Invalid MCP server “${name}”: ${server.reason}.`);
	}

	return server;
}

/** Throws AppError("usage") for what is neither a URL nor a command. */
function checkTarget(target: string): void {
	const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target) ?? [];
	if (!target.trim()) {
		throw usage('The URL or the command is missing.', 'Add it: `mcp add <name> <url>`');
	}

	if (scheme && !/^https?$/i.test(scheme)) {
		throw usage(
			`“${target}” is neither an http(s) URL nor a command.`,
			'Write https://… for a server, or a command after --.',
		);
	}

	if (/^[\w-]+(?:\.[\w-]+)+\/\S*$/.test(target) && !target.includes('..')) {
		throw usage(`“${target}” is neither a URL nor a command.`, `Did you mean https://${target}?`);
	}

	if (/^[^/\\\s]+\s/.test(target)) {
		throw usage(
			`“${target}” is no command: it has spaces.`,
			'Write the command and its arguments as words of their own after --.',
		);
	}
}

function readHeaders(words: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(
		words.map(word => {
			const [, name, value] = /^([\w-]+)\s*[:=]\s*(.*)$/s.exec(word) ?? [];
			if (name === undefined || value === undefined) {
				throw usage(`Invalid --header “${word}”.`, 'Write "Name: value".');
			}

			return [name, value];
		}),
	);
}

function usage(message: string, hint?: string): AppError {
	return new AppError('usage', message, hint === undefined ? {} : {hint});
}

/** Throws AppError("conflict") if another server has the name already. */
export async function assertFree(mcp: McpAccess, name: string, scope: McpScope): Promise<void> {
	const there = (await mcp.servers()).find(each => each.scope === scope && each.id === idOf(name));
	if (there) {
		throw new AppError('conflict', `There is an MCP server “${there.server.name}” already.`, {
			hint: 'Choose another name, or remove that one first.',
		});
	}
}

type Change = {readonly name: string; readonly scope: McpScope; readonly server?: McpServer};

/**
 * Adds or removes a server. Returns the path of the file. Throws what `assertFree` throws for one to add, and what
 * `McpAccess.change` throws.
 */
export async function changeServers(mcp: McpAccess, {name, scope, server}: Change): Promise<string> {
	await (server && assertFree(mcp, name, scope));
	return mcp.change({scope, name, entry: server && entryOf(server)});
}

/** Returns a server with what is known of it. Throws as `findServer` does. */
export async function statusOfServer(mcp: McpAccess, name: string, scope?: McpScope): Promise<ServerStatus> {
	const all = await mcp.status();
	const {path, server} = findServer(
		all.map(({configured}) => configured),
		name,
		scope,
	);
	const found = all.find(({configured}) => configured.path === path && configured.server.name === server.name);
	return found ?? Promise.reject(new Error('The server is gone.'));
}

type Reconnecting = {
	readonly name: string;
	readonly scope?: McpScope | undefined;
	/** True to refuse a server that isn't used. */
	readonly isAsked?: boolean;
	readonly signal: AbortSignal;
};

/**
 * Starts a server again, and waits for it until `signal` aborts. Returns it with what is known of it then. One that isn't used
 * stays so, or is refused if `isAsked`: then throws AppError("conflict"). Throws the signal's reason, and as `findServer` does.
 */
export async function reconnectServer(
	mcp: McpAccess,
	{name, scope, isAsked = false, signal}: Reconnecting,
): Promise<ServerStatus> {
	const {configured} = await statusOfServer(mcp, name, scope);
	if (isAsked || configured.unused === undefined) {
		await abortable(mcp.reconnect(configured), signal);
	}

	return statusOfServer(mcp, name, scope);
}

/** Returns the server of a name. Throws AppError("not-found"), or AppError("conflict") if two files have it. */
export function findServer(servers: readonly ConfiguredServer[], name: string, scope?: McpScope): ConfiguredServer {
	const found = servers.filter(each => each.server.name === name && (scope === undefined || each.scope === scope));
	const [first, second] = found;
	if (first && second && first.scope !== second.scope) {
		const scopes = [...new Set(found.map(each => `--scope ${each.scope}`))];
		throw new AppError('conflict', `Several files have an MCP server “${name}”.`, {
			hint: `Pass ${scopes.join(' or ')}.`,
		});
	}

	if (!first) {
		const names = servers.map(each => each.server.name);
		const near = closest(name, names);
		throw new AppError('not-found', `No MCP server “${name}”.`, {
			hint: near
				? `Did you mean ${near}?`
				: names.length > 0
					? `Configured: ${names.join(', ')}.`
					: 'Add one: `mcp add <name> <url>`',
		});
	}

	return first;
}
