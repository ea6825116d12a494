import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Client, StreamableHTTPClientTransport, type Transport} from '@modelcontextprotocol/client';
import {config} from 'zod/mini';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import type {Environment} from '../../core/environment.ts';
import {messageOf} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {originOf} from '../../core/origin.ts';
import {createBoundFetch} from '../../net/bound-fetch.ts';
import type {CallResult, Connection, ConnectionEvents, ListedTool, ResultPart} from './connection.ts';
import {createFloodGuard} from './flood-guard.ts';
import {createStdioTransport} from './stdio-transport.ts';

// The SDK's Zod sets English messages for the whole process, which would replace those of the program.
config({localeError: undefined});

export type ConnectOptions = ConnectionEvents & {
	/** The server, with its variables replaced. */
	readonly server: McpServer;
	/** The working folder: where a command runs, and what the server is told of it. */
	readonly folder: string;
	readonly env: Environment;
	readonly version: string;
	readonly insecureHttp: boolean;
	/** How long the server may take to answer the first message. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
};

/** Longest list of tools that is read, in pages. */
const maxPages = 20;
const requestTimeoutMs = 30_000;
const maxCallMs = 60 * 60_000;

/** Connects to a server, which a command starts. Throws if that fails; then nothing of it runs on. */
export async function connect(options: ConnectOptions): Promise<Connection> {
	const {folder, timeoutMs, signal, onLog, onListsChanged} = options;
	const client = new Client(
		{name: 'service', version: options.version},
		{
			capabilities: {roots: {}},
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
	return {about: `${name} ${version}`.trim(), close, ...requestsTo(client)};
}

/** Returns what asks a server. */
function requestsTo(client: Client): Omit<Connection, 'about' | 'close'> {
	const listOptions = {timeout: requestTimeoutMs, cacheMode: 'bypass'} as const;
	return {
		...resourcesOf(client),
		async listTools() {
			if (!client.getServerCapabilities()?.tools) {
				return [];
			}

			const {tools} = await client.listTools(undefined, listOptions);
			return tools.map(listed);
		},
		async listPrompts() {
			if (!client.getServerCapabilities()?.prompts) {
				return [];
			}

			const {prompts} = await client.listPrompts(undefined, listOptions);
			return prompts.map(({name, title, description, arguments: args = []}) => ({
				...{name, title, description},
				arguments: args.map(arg => ({name: arg.name, required: arg.required === true})),
			}));
		},
		async prompt(name, args, signal) {
			const {messages} = await client.getPrompt(
				{name, arguments: {...args}},
				{timeout: requestTimeoutMs, ...(signal && {signal})},
			);
			return messages.map(({content}) => partOf(content));
		},
		async call(tool, args, {signal, timeoutMs: timeout, onProgress}) {
			const result = await client.callTool(
				{name: tool, arguments: args},
				{
					...{signal, timeout, resetTimeoutOnProgress: true, maxTotalTimeout: maxCallMs},
					onprogress: ({progress, total, message}) =>
						onProgress(message ?? (total ? `${progress} of ${total}` : `${progress}`)),
				},
			);
			return resultOf(result);
		},
	};
}

/** Returns what lists and reads the resources of a server. */
function resourcesOf(client: Client): Pick<Connection, 'listResources' | 'readResource'> {
	const optionsFor = (signal: AbortSignal | undefined) =>
		({timeout: requestTimeoutMs, cacheMode: 'bypass', ...(signal && {signal})}) as const;
	return {
		async listResources(signal) {
			if (!client.getServerCapabilities()?.resources) {
				return [];
			}

			const {resources} = await client.listResources(undefined, optionsFor(signal));
			const listedResources = resources.map(each => ({uri: each.uri, about: aboutOf(each), isTemplate: false}));
			try {
				const {resourceTemplates} = await client.listResourceTemplates(undefined, optionsFor(signal));
				const templates = resourceTemplates.map(each => ({
					...{uri: each.uriTemplate, about: aboutOf(each), isTemplate: true},
				}));
				return [...listedResources, ...templates];
			} catch (error) {
				// Many servers have resources but answer nothing about templates.
				signal?.throwIfAborted();
				client.onerror?.(new Error(`Listing its resource templates failed: ${messageOf(error)}`));
				return listedResources;
			}
		},
		async readResource(uri, signal) {
			const {contents} = await client.readResource({uri}, optionsFor(signal));
			return contents.map(content =>
				'text' in content ? {uri: content.uri, text: content.text} : {uri: content.uri, blob: content.blob},
			);
		},
	};
}

function aboutOf(listed: {title?: string | undefined; name: string; description?: string | undefined}): string {
	const name = listed.title ?? listed.name;
	return listed.description ? `${name}: ${listed.description}` : name;
}

function transportTo(options: ConnectOptions): {readonly transport: Transport; readonly end: () => Promise<void>} {
	const {server, env, version, insecureHttp, folder, onLog, onEnd} = options;
	if (server.type === 'stdio') {
		const {command, args, env: variables, cwd = folder} = server;
		const transport = createStdioTransport({command, args, env: variables, folder: cwd, onLog, onEnd});
		return {transport, end: async () => undefined};
	}

	const guard = createFloodGuard();
	const {fetch, close} = createBoundFetch({
		...{env, insecureHttp, headers: server.headers, origin: originOf(server.url), allows: guard.allows},
		userAgent: `service/${version}`,
	});
	return {transport: new StreamableHTTPClientTransport(new URL(server.url), {fetch}), end: close};
}

type Tools = Awaited<ReturnType<Client['listTools']>>['tools'];

function listed({name, title, description, inputSchema, annotations}: Tools[number]): ListedTool {
	return {
		...{name, description, title: title ?? annotations?.title},
		inputSchema: inputSchema as JsonObject,
		readOnlyHint: annotations?.readOnlyHint,
	};
}

type ToolResult = Awaited<ReturnType<Client['callTool']>>;

function resultOf({content, structuredContent, isError}: ToolResult): CallResult {
	const parts = content.map(partOf);
	const structured: readonly ResultPart[] =
		parts.length === 0 && structuredContent ? [{type: 'text', text: JSON.stringify(structuredContent)}] : [];
	return {parts: [...parts, ...structured], isError: isError === true};
}

function partOf(part: ToolResult['content'][number]): ResultPart {
	switch (part.type) {
		case 'text':
			return {type: 'text', text: part.text};
		case 'image':
		case 'audio':
			return {type: part.type, data: part.data, mimeType: part.mimeType};
		case 'resource':
			return 'text' in part.resource
				? {type: 'text', text: `${part.resource.uri}:\n${part.resource.text}`}
				: {type: 'link', uri: part.resource.uri};
		case 'resource_link':
			return {type: 'link', uri: part.uri, text: part.description ?? part.name};
		default:
			return {type: 'text', text: `[a part of type ${(part as {type: string}).type}]`};
	}
}
