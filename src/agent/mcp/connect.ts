import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Client, type ElicitRequest, StreamableHTTPClientTransport, type Transport} from '@modelcontextprotocol/client';
import {config} from 'zod/mini';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import {mcpLoginOf} from '../../config/mcp/mcp-logins.ts';
import type {Environment} from '../../core/environment.ts';
import type {JsonObject} from '../../core/json.ts';
import {originOf} from '../../core/origin.ts';
import {createBoundFetch} from '../../net/bound-fetch.ts';
import type {Connection, ConnectionEvents} from './connection.ts';
import type {Elicitation, Elicitor} from './elicitation/elicitor.ts';
import {createFloodGuard} from './flood-guard.ts';
import {createOAuthFetch} from './oauth/oauth-fetch.ts';
import {createScopedFetch} from './oauth/scopes.ts';
import {createTokenAuth, type TokenAuthOptions} from './oauth/token-auth.ts';
import {requestsTo} from './requests.ts';
import {createStdioTransport} from './stdio-transport.ts';

// The SDK's Zod sets English messages for the whole process, which would replace those of the program.
config({localeError: undefined});

export type ConnectOptions = ConnectionEvents & {
	/** The server, with its variables replaced. */
	readonly server: McpServer;
	/** The working folder: where a command runs, and what the server is told of it. */
	readonly folder: string;
	/** The root of the project that it is in. */
	readonly root: string;
	readonly env: Environment;
	readonly version: string;
	readonly insecureHttp: boolean;
	/** How long the server may take to answer the first message. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
	/** Asks the user for the server. */
	readonly elicitor: Elicitor;
	/** Where the logins to servers are stored, and what masks their tokens. */
	readonly config: TokenAuthOptions['config'];
	readonly addSecret: TokenAuthOptions['addSecret'];
};

/** Longest list of tools that is read, in pages. */
const maxPages = 20;

/** Connects to a server, which a command starts. Throws if that fails; then nothing of it runs on. */
export async function connect(options: ConnectOptions): Promise<Connection> {
	const {folder, timeoutMs, signal, onLog, onListsChanged, elicitor} = options;
	const client = new Client(
		{name: 'service', version: options.version},
		{
			capabilities: {roots: {}, elicitation: {form: {}, url: {}}},
			listMaxPages: maxPages,
			listChanged: {
				tools: {autoRefresh: false, onChanged: onListsChanged},
				prompts: {autoRefresh: false, onChanged: onListsChanged},
			},
			// A schema of the server is not run on its own results: it protects nobody, and may be made to be slow.
			jsonSchemaValidator: {
				getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
			},
		},
	);
	client.onerror = error => onLog(`Connection: ${error.message}`);
	client.setRequestHandler('roots/list', () => ({
		roots: [{uri: pathToFileURL(folder).href, name: basename(folder)}],
	}));
	client.setNotificationHandler('notifications/message', ({params}) => {
		onLog(`${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`);
	});
	client.setRequestHandler('elicitation/create', ({params}, {mcpReq}) =>
		elicitor.answer(elicitationOf(params), mcpReq.signal),
	);
	const {transport, end} = transportTo(options);
	const close = async () => {
		await client.close().catch(() => undefined);
		await transport.close().catch(() => undefined);
		await end();
	};
	try {
		await client.connect(transport, {timeout: timeoutMs, signal});
	} catch (error) {
		await close();
		throw error;
	}

	const {name = '', version = ''} = client.getServerVersion() ?? {};
	return {about: `${name} ${version}`.trim(), close, ...requestsTo(client, elicitor)};
}

function elicitationOf(params: ElicitRequest['params']): Elicitation {
	return 'url' in params
		? {message: params.message, url: params.url}
		: {message: params.message, schema: params.requestedSchema as JsonObject};
}

function transportTo(options: ConnectOptions): {readonly transport: Transport; readonly end: () => Promise<void>} {
	const {server, env, version, insecureHttp, folder, root, onLog, onEnd} = options;
	if (server.type === 'stdio') {
		const {command, args, env: variables, cwd = folder} = server;
		const transport = createStdioTransport({command, args, env: variables, folder: cwd, root, onLog, onEnd});
		return {transport, end: async () => undefined};
	}

	const guard = createFloodGuard();
	const bound = createBoundFetch({
		...{env, insecureHttp, headers: server.headers, origin: originOf(server.url), allows: guard.allows},
		userAgent: `service/${version}`,
	});
	const url = new URL(server.url);
	const hasKey = Object.keys(server.headers).some(name => name.toLowerCase() === 'authorization');
	const fetch = createScopedFetch({
		...{name: server.name, hasKey, fetch: bound.fetch},
		granted: () => mcpLoginOf(options.config.read(), url.href)?.scope,
	});
	if (hasKey) {
		return {transport: new StreamableHTTPClientTransport(url, {fetch}), end: bound.close};
	}

	const oauth = createOAuthFetch({server: url, env, version});
	const authProvider = createTokenAuth({...options, name: server.name, url: url.href, fetch: oauth.fetch});
	return {
		transport: new StreamableHTTPClientTransport(url, {fetch, authProvider}),
		async end() {
			await Promise.all([bound.close(), oauth.close()]);
		},
	};
}
