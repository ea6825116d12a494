import {type Client, UrlElicitationRequiredError} from '@modelcontextprotocol/client';
import {AppError, messageOf} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {createCallLimit} from './call-limit.ts';
import type {CallResult, Connection, ListedTool, ResultPart} from './connection.ts';
import type {Elicitor} from './elicitation/elicitor.ts';

const requestTimeoutMs = 30_000;
const maxCallMs = 60 * 60_000;

/** Returns the requests to a server on an open connection. */
export function requestsTo(client: Client, elicitor: Elicitor): Omit<Connection, 'about' | 'close'> {
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
		call: callsOf(client, elicitor),
	};
}

/** Returns what calls tools. The time limit of a call rests while its server asks the user. */
function callsOf(client: Client, elicitor: Elicitor): Connection['call'] {
	return async (tool, args, {signal, timeoutMs, onProgress, onNotice = () => undefined, ask}) => {
		const limit = createCallLimit(timeoutMs, elicitor.isAsking);
		const endCall = elicitor.begin({onNotice, onAnswered: limit.touch, ask});
		try {
			const result = await client.callTool(
				{name: tool, arguments: args},
				{
					...{signal: AbortSignal.any([signal, limit.signal]), timeout: maxCallMs, maxTotalTimeout: maxCallMs},
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
function resourcesOf(client: Client): Pick<Connection, 'listResources' | 'complete' | 'readResource'> {
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
				'text' in content ? {uri: content.uri, text: content.text} : {uri: content.uri, blob: content.blob},
			);
		},
	};
}

function aboutOf(listed: {title?: string | undefined; name: string; description?: string | undefined}): string {
	const name = listed.title ?? listed.name;
	return listed.description ? `${name}: ${listed.description}` : name;
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
