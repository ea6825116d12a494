import {type Client, UrlElicitationRequiredError} from '@modelcontextprotocol/client';
import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import type {CallResult, ListedResource, ListedTool, Listing, McpConnection, ResultPart} from './connection.ts';
import {clauseOf} from './connection-error.ts';
import type {Elicitor} from './elicitation/elicitor.ts';
import {faultsOf} from './read-answer.ts';

const requestTimeoutMs = 30_000;
const maxCallMs = 60 * 60_000;
/** The code of an error about a method that a server doesn't have (JSON-RPC 2.0, section 5.1). */
const methodNotFound = -32_601;
/** Longest list that is read, in pages and in time. */
const maxPages = 100;
const listTimeoutMs = 60_000;
/** Most sentences of the log about one list. */
const maxReported = 20;

/** Returns the requests to a server on an open connection. */
export function requestsTo(client: Client, elicitor: Elicitor): Omit<McpConnection, 'about' | 'close' | 'hasSession'> {
	/** The schemas of the tools as they were listed last, which say what goes into headers (MCP 2026-07-28). */
	const schemas = new Map<string, JsonObject>();
	return {
		...resourcesOf(client),
		async listTools() {
			const list = await readList(client, {
				capability: 'tools',
				noun: 'tools',
				async request(params, options) {
					const answer = await client.request({method: 'tools/list', ...params}, options);
					return {items: answer.tools.map(listed), answer};
				},
			});
			schemas.clear();
			for (const {name, inputSchema} of list.items.toReversed()) {
				schemas.set(name, inputSchema);
			}

			return list;
		},
		async listPrompts() {
			return readList(client, {
				capability: 'prompts',
				noun: 'prompts',
				async request(params, options) {
					const answer = await client.request({method: 'prompts/list', ...params}, options);
					const items = answer.prompts.map(({name, title, description, arguments: args = []}) => ({
						name,
						title,
						description,
						arguments: args.map(arg => ({name: arg.name, required: arg.required === true})),
					}));
					return {items, answer};
				},
			});
		},
		async prompt(name, args, signal) {
			const {messages} = await client.getPrompt(
				{name, arguments: {...args}},
				{timeout: requestTimeoutMs, ...(signal && {signal})},
			);
			return messages.map(({content}) => partOf(content));
		},
		call: callsOf(client, elicitor, name => schemas.get(name)),
	};
}

/** Returns what calls tools. The time limit of a call rests while its server asks the user. */
function callsOf(
	client: Client,
	elicitor: Elicitor,
	schemaOf: (tool: string) => JsonObject | undefined,
): McpConnection['call'] {
	return async (tool, args, {signal, timeoutMs, onProgress, onNotice = () => undefined, ask}) => {
		const limit = createCallLimit(timeoutMs, elicitor.isAsking);
		const schema = schemaOf(tool);
		const endCall = elicitor.begin({onNotice, onAnswered: limit.touch, ask});
		try {
			const result = await client.callTool(
				{name: tool, arguments: args},
				{
					signal: AbortSignal.any([signal, limit.signal]),
					timeout: maxCallMs,
					maxTotalTimeout: maxCallMs,
					...(schema && {toolDefinition: {name: tool, inputSchema: {...schema, type: 'object'}}}),
					onprogress({progress, total, message}) {
						limit.touch();
						onProgress(message ?? (total ? `${progress} of ${total}` : `${progress}`));
					},
				},
			);
			return resultOf(result);
		} catch (error) {
			signal.throwIfAborted();
			if (limit.signal.aborted) {
				throw new Error(`it did not answer for ${timeoutMs / 1000} s`, {cause: error});
			}

			if (error instanceof UrlElicitationRequiredError) {
				throw await pagesAsked(error, elicitor, signal);
			}

			throw error;
		} finally {
			limit.end();
			endCall();
		}
	};
}

/** Asks for the pages that a call needs first. Returns what the model is told. */
async function pagesAsked({elicitations}: UrlElicitationRequiredError, {answer}: Elicitor, signal: AbortSignal) {
	for (const {message, url} of elicitations) {
		const {action} = await answer({message, url}, signal);
		if (action !== 'accept') {
			return new AppError('failed', 'The tool needs a page that the user did not open.');
		}
	}

	signal.throwIfAborted();
	return new AppError('failed', 'The tool needs the user to finish something in their browser first.', {
		hint: 'Ask them to say when it is done, then call it again.',
	});
}

/** Returns what lists and reads the resources of a server. */
function resourcesOf(client: Client): Pick<McpConnection, 'listResources' | 'complete' | 'readResource'> {
	const optionsFor = (signal: AbortSignal | undefined) =>
		({timeout: requestTimeoutMs, cacheMode: 'bypass', ...(signal && {signal})}) as const;
	return {
		async listResources(signal) {
			const report = (sentences: readonly string[]) =>
				sentences.slice(0, maxReported).forEach(each => void client.onerror?.(new Error(each)));
			const resources = await readList<ListedResource>(
				client,
				{
					capability: 'resources',
					noun: 'resources',
					async request(params, options) {
						const answer = await client.request({method: 'resources/list', ...params}, options);
						const items = answer.resources.map(each => ({uri: each.uri, about: aboutOf(each), isTemplate: false}));
						return {items, answer};
					},
				},
				signal,
			);
			report(resources.faults);
			try {
				const templates = await readList<ListedResource>(
					client,
					{
						capability: 'resources',
						noun: 'resource templates',
						async request(params, options) {
							const answer = await client.request({method: 'resources/templates/list', ...params}, options);
							const items = answer.resourceTemplates.map(each => ({
								uri: each.uriTemplate,
								about: aboutOf(each),
								isTemplate: true,
							}));
							return {items, answer};
						},
					},
					signal,
				);
				report(templates.faults);
				return [...resources.items, ...templates.items];
			} catch (error) {
				// Many servers have resources but answer nothing about templates.
				signal?.throwIfAborted();
				client.onerror?.(new Error(`Listing its resource templates failed: ${clauseOf(error)}`));
				return resources.items;
			}
		},
		async complete({template, name, value, known}, signal) {
			if (!client.getServerCapabilities()?.completions) {
				return [];
			}

			const {completion} = await client.complete(
				{ref: {type: 'ref/resource', uri: template}, argument: {name, value}, context: {arguments: {...known}}},
				optionsFor(signal),
			);
			return completion.values;
		},
		async readResource(uri, signal) {
			const {contents} = await client.readResource({uri}, optionsFor(signal));
			return contents.map(content =>
				'text' in content
					? {uri: content.uri || uri, text: content.text}
					: {uri: content.uri || uri, blob: content.blob},
			);
		},
	};
}

/** A page of a list: its items, and the answer that they are from. */
type Page<Item> = {
	readonly items: readonly Item[];
	readonly answer: {readonly nextCursor?: string | undefined; readonly _meta?: unknown};
};

type PageOptions = {readonly timeout: number; readonly signal?: AbortSignal};

/** A list of a server: the capability that it belongs to, what its items are called, and what requests a page of it. */
type List<Item> = {
	readonly capability: 'tools' | 'prompts' | 'resources';
	readonly noun: string;
	readonly request: (params: {params?: {cursor: string}}, options: PageOptions) => Promise<Page<Item>>;
};

/**
 * Reads a list of a server, page by page; nothing if it has no such list. Pages that repeat, or never end, are named, and so is
 * one that fails behind others. Throws what the first one fails with. An empty cursor leads to a page (MCP 2026-07-28) or is
 * the end, as older servers mean it: then asking with it fails, or repeats the page.
 */
async function readList<Item>(
	client: Client,
	{capability, noun, request}: List<Item>,
	signal?: AbortSignal,
): Promise<Listing<Item>> {
	const items: Item[] = [];
	const faults: string[] = [];
	if (!client.getServerCapabilities()?.[capability]) {
		return {items, faults};
	}

	const cursors = new Set<string>();
	let last = '';
	const deadline = performance.now() + listTimeoutMs;
	for (let cursor: string | undefined; ; ) {
		try {
			const options = {timeout: requestTimeoutMs, ...(signal && {signal})};
			const page = await request(cursor === undefined ? {} : {params: {cursor}}, options);
			const content = JSON.stringify(page.items);
			if (cursor === '' && content === last) {
				return {items, faults};
			}

			last = content;
			items.push(...page.items);
			faults.push(...faultsOf(page.answer));
			cursor = page.answer.nextCursor;
		} catch (error) {
			signal?.throwIfAborted();
			if (cursor === undefined && error instanceof Error && 'code' in error && error.code === methodNotFound) {
				return {items, faults: [`The list of its ${noun} is missing: ${clauseOf(error)}.`]};
			}

			if (cursor === undefined) {
				throw error;
			}

			if (cursor === '') {
				return {items, faults};
			}

			return {items, faults: [...faults, `The list of its ${noun} broke off: ${clauseOf(error)}.`]};
		}

		if (cursor === undefined) {
			return {items, faults};
		}

		if (cursors.has(cursor) || cursors.size >= maxPages || performance.now() > deadline) {
			const why = cursors.has(cursor) ? 'repeats a page' : 'never ends';
			return {items, faults: [...faults, `The list of its ${noun} ${why}: only what came before that is used.`]};
		}

		cursors.add(cursor);
	}
}

function aboutOf(listed: {title?: string | undefined; name: string; description?: string | undefined}): string {
	const name = listed.title ?? listed.name;
	return listed.description ? `${name}: ${listed.description}` : name;
}

type Tools = Awaited<ReturnType<Client['listTools']>>['tools'];

function listed({name, title, description, inputSchema, annotations}: Tools[number]): ListedTool {
	return {
		name,
		description,
		title: title ?? annotations?.title,
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

/** The time limit of a call: it counts from the last sign of life, and not while the user is asked. */
type CallLimit = {
	/** Aborts once the time is over. */
	readonly signal: AbortSignal;
	/** The server did something, or may take its time again. */
	readonly touch: () => void;
	readonly end: () => void;
};

/** Starts the limit of a call. `isPaused` returns true while the user is asked. */
export function createCallLimit(timeoutMs: number, isPaused: () => boolean): CallLimit {
	const stop = new AbortController();
	let timer: NodeJS.Timeout;
	const touch = () => {
		clearTimeout(timer);
		timer = setTimeout(() => (isPaused() ? touch() : stop.abort()), timeoutMs);
	};
	touch();
	return {signal: stop.signal, touch, end: () => clearTimeout(timer)};
}
