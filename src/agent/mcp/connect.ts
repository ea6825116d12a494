import {basename} from 'node:path';
import {setTimeout as setTimeoutAsync} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {Client, type ElicitRequest, StreamableHTTPClientTransport, type Transport} from '@modelcontextprotocol/client';
import {config} from 'zod/mini';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import {mcpLoginOf} from '../../config/mcp/mcp-logins.ts';
import type {Environment} from '../../core/environment.ts';
import {isAbort} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {originOf} from '../../core/origin.ts';
import {createBoundFetch} from '../../net/bound-fetch.ts';
import {createFloodGuard} from '../tools/child/serving-child.ts';
import type {ConnectionEvents, McpConnection} from './connection.ts';
import {clauseOf, loginNeeded, statusOf, wasNotSent} from './connection-error.ts';
import type {Elicitation, Elicitor} from './elicitation/elicitor.ts';
import {lenientFetch, lenientTransport} from './lenient-transport.ts';
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
	/** Returns a time in milliseconds that only grows, by which a flood is told; that of the machine by default. */
	readonly now: (() => number) | undefined;
	readonly signal: AbortSignal;
	/** Asks the user for the server. */
	readonly elicitor: Elicitor;
	/** Where the logins to servers are stored, and what masks their tokens. */
	readonly config: TokenAuthOptions['config'];
	readonly addSecret: TokenAuthOptions['addSecret'];
};

/** Time for the answer to a request that only servers of the revision 2026-07-28 know. */
const discoveryTimeoutMs = 10_000;
/** Time for a server to end the session once it isn't needed any more. */
const endSessionMs = 1000;
/** Changes of lists that come within this time are one. */
const changesMs = 100;
/** How often a subscription to changes is opened again, and the time before that. */
const maxSubscriptions = 20;
const resubscribeMs = 1000;

/** The revision without a handshake that this program speaks. */
const modernVersion = '2026-07-28';

/** How a connection begins: with `initialize` (up to 2025-11-25), or with `server/discover` (2026-07-28). */
export type Era = 'legacy' | 'modern';

/**
 * Connects to a server, which a command starts, in the revision of the protocol that it has. Throws if that fails; then
 * nothing of it runs on. Over HTTP, `server/discover` goes first, as the specification asks for, and a server that doesn't know
 * it gets `initialize`. A command gets `initialize` first: of those that don't know `server/discover`, some end and some
 * never answer, and those of both revisions answer either. `before` is how the last connection began.
 */
export async function connect(
	options: ConnectOptions,
	before?: Era,
): Promise<{readonly connection: McpConnection; readonly era: Era}> {
	const first = before ?? (options.server.type === 'http' ? 'modern' : 'legacy');
	try {
		return await open(first, options);
	} catch (error) {
		options.signal.throwIfAborted();
		if (!mayBeOtherEra(error)) {
			throw error;
		}

		const other = first === 'legacy' ? 'modern' : 'legacy';
		return await open(other, options).catch(otherError => {
			throw first === 'legacy' && !loginNeeded(otherError) ? error : otherError;
		});
	}
}

/** True for an answer that a server of another revision gives. */
function mayBeOtherEra(error: unknown): boolean {
	if (loginNeeded(error) || wasNotSent(error) || isAbort(error) || !(error instanceof Error)) {
		return false;
	}

	const code = 'code' in error ? error.code : undefined;
	const status = statusOf(error);
	// Methods, requests and versions that a server doesn't know (JSON-RPC 2.0, section 5.1; MCP 2026-07-28).
	const isRefusal = code === -32_601 || code === -32_600 || code === -32_602 || code === -32_022;
	const isProbe = code === 'ERA_NEGOTIATION_FAILED' || /probe/.test(error.message);
	return (
		isRefusal || isProbe || (status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403)
	);
}

async function open(
	era: Era,
	options: ConnectOptions,
): Promise<{readonly connection: McpConnection; readonly era: Era}> {
	const {timeoutMs, signal, onNote, elicitor} = options;
	const client = createClient(era, options);
	const {transport: inner, endSession, end} = transportTo(options);
	const transport = lenientTransport(inner, version =>
		onNote(`It speaks the revision ${version} of the protocol, which this version doesn't know.`),
	);
	const close = async () => {
		await endSession();
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

	const isModern = client.getProtocolEra() === 'modern';
	if (isModern) {
		void listenForChanges(client, options);
	}

	const {name = '', version = ''} = client.getServerVersion() ?? {};
	const connection = {
		about: `${name} ${version}`.trim() || 'a server without a name',
		hasSession: () => inner.sessionId !== undefined,
		close,
		...requestsTo(client, elicitor),
	};
	return {connection, era: isModern ? 'modern' : 'legacy'};
}

function createClient(
	era: Era,
	{version, folder, server, onLog, onNote, onListsChanged, elicitor, signal}: ConnectOptions,
): Client {
	const client = new Client(
		{name: 'service', version},
		{
			capabilities: {roots: {}, elicitation: {form: {}, url: {}}},
			...(era === 'modern' && {
				versionNegotiation: {
					mode: server.type === 'http' ? ('auto' as const) : {pin: modernVersion},
					probe: {timeoutMs: discoveryTimeoutMs},
				},
			}),
			// A schema of the server is not run on its own results: it protects nobody, and may be made to be slow.
			jsonSchemaValidator: {
				getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
			},
		},
	);
	client.onerror = error => onNote(`Connection: ${clauseOf(error)}`);
	client.setRequestHandler('roots/list', () => ({
		roots: [{uri: pathToFileURL(folder).href, name: basename(folder)}],
	}));
	client.setNotificationHandler('notifications/message', ({params}) => {
		onLog(`${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`);
	});
	let timer: NodeJS.Timeout | undefined;
	const onChanged = () => {
		timer ??= setTimeout(() => {
			timer = undefined;
			onListsChanged();
		}, changesMs).unref();
	};
	signal.addEventListener('abort', () => clearTimeout(timer), {once: true});
	client.setNotificationHandler('notifications/tools/list_changed', onChanged);
	client.setNotificationHandler('notifications/prompts/list_changed', onChanged);
	client.setRequestHandler('elicitation/create', ({params}, {mcpReq}) =>
		elicitor.answer(elicitationOf(params), mcpReq.signal),
	);
	return client;
}

/** Asks a server without a handshake to tell of changed lists. One that ends the subscription is asked again. Never throws. */
async function listenForChanges(client: Client, {onNote, onListsChanged, signal}: ConnectOptions): Promise<void> {
	const {tools, prompts} = client.getServerCapabilities() ?? {};
	const filter = {
		...(tools?.listChanged && {toolsListChanged: true}),
		...(prompts?.listChanged && {promptsListChanged: true}),
	};
	for (let attempt = 0; attempt < maxSubscriptions && Object.keys(filter).length > 0 && !signal.aborted; attempt++) {
		try {
			const {closed} = await client.listen(filter, {timeout: discoveryTimeoutMs, signal});
			if ((await closed) === 'local') {
				return;
			}

			onListsChanged();
			await setTimeoutAsync(resubscribeMs, undefined, {signal, ref: false});
		} catch (error) {
			if (!signal.aborted) {
				onNote(`It tells of no changes of its lists: ${clauseOf(error)}`);
			}

			return;
		}
	}
}

function elicitationOf(params: ElicitRequest['params']): Elicitation {
	return 'url' in params
		? {message: params.message, url: params.url}
		: {message: params.message, schema: params.requestedSchema as JsonObject};
}

type OpenTransport = {
	readonly transport: Transport;
	/** Ends the session at the server. Never throws, and takes no longer than a second. */
	readonly endSession: () => Promise<void>;
	/** Closes the connections that the transport used. */
	readonly end: () => Promise<void>;
};

const nothing = async () => undefined;

function transportTo(options: ConnectOptions): OpenTransport {
	const {server, env, version, insecureHttp, folder, root, now, onLog, onEnd} = options;
	if (server.type === 'stdio') {
		const {command, args, env: variables, cwd = folder} = server;
		const transport = createStdioTransport({command, args, env: variables, folder: cwd, root, now, onLog, onEnd});
		return {transport, endSession: nothing, end: nothing};
	}

	const guard = createFloodGuard(now);
	const bound = createBoundFetch({
		env,
		insecureHttp,
		headers: server.headers,
		origin: originOf(server.url),
		allows: guard.allows,
		userAgent: `service/${version}`,
	});
	const url = new URL(server.url);
	const hasKey = Object.keys(server.headers).some(name => name.toLowerCase() === 'authorization');
	const scoped = createScopedFetch({
		name: server.name,
		hasKey,
		fetch: bound.fetch,
		granted: () => mcpLoginOf(options.config.read(), url.href)?.scope,
	});
	const fetch = lenientFetch(scoped);
	if (hasKey) {
		const transport = new StreamableHTTPClientTransport(url, {fetch});
		return {transport, endSession: sessionEnder(transport), end: bound.close};
	}

	const oauth = createOAuthFetch({server: url, env, version});
	const authProvider = createTokenAuth({...options, name: server.name, url: url.href, fetch: oauth.fetch});
	const transport = new StreamableHTTPClientTransport(url, {fetch, authProvider});
	return {
		transport,
		endSession: sessionEnder(transport),
		async end() {
			await Promise.all([bound.close(), oauth.close()]);
		},
	};
}

/** Returns what ends the session with `DELETE` (MCP 2025-11-25, session management), which many servers have only one of. */
function sessionEnder(transport: StreamableHTTPClientTransport): OpenTransport['endSession'] {
	return async () => {
		if (transport.sessionId !== undefined) {
			const ended = transport.terminateSession().catch(() => undefined);
			await Promise.race([ended, setTimeoutAsync(endSessionMs, undefined, {ref: false})]);
		}
	};
}
