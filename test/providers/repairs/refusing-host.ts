import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import type {Json, JsonObject} from '../../../src/core/json.ts';
import type {Message, MessageImage} from '../../../src/core/session/message.ts';
import type {ToolDefinition} from '../../../src/core/session/tool.ts';
import {createTransport} from '../../../src/net/undici-transport.ts';
import {at, listAt, textAt} from '../../../src/providers/json-path.ts';
import type {ProviderEvent, ProviderRequest} from '../../../src/providers/provider.ts';
import {adapterOf} from '../replay.ts';

export const wires = ['openai-chat', 'anthropic', 'gemini', 'openai-responses'] as const;
export type WireName = (typeof wires)[number];

/** A refusal of a body; undefined to answer it. */
export type Refuse = (body: JsonObject) => {readonly status?: number; readonly text: string} | undefined;

const answers: Readonly<Record<WireName, readonly object[]>> = {
	'openai-chat': [{choices: [{delta: {content: 'Hi'}, finish_reason: 'stop'}]}],
	anthropic: [
		{type: 'message_start', message: {}},
		{type: 'content_block_start', index: 0, content_block: {type: 'text', text: ''}},
		{type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text: 'Hi'}},
		{type: 'content_block_stop', index: 0},
		{type: 'message_delta', delta: {stop_reason: 'end_turn'}},
		{type: 'message_stop'},
	],
	gemini: [{candidates: [{content: {parts: [{text: 'Hi'}]}, finishReason: 'STOP'}]}],
	'openai-responses': [
		{type: 'response.output_text.delta', delta: 'Hi', output_index: 0, content_index: 0, item_id: 'm'},
		{type: 'response.completed', response: {output: []}},
	],
};

/** Returns the stream of a call, as each wire format has it. */
export function callStream(wire: WireName, name: string, args: JsonObject): readonly object[] {
	const text = JSON.stringify(args);
	switch (wire) {
		case 'anthropic':
			return [
				{type: 'message_start', message: {}},
				{type: 'content_block_start', index: 0, content_block: {type: 'tool_use', id: 'c1', name, input: {}}},
				{type: 'content_block_delta', index: 0, delta: {type: 'input_json_delta', partial_json: text}},
				{type: 'content_block_stop', index: 0},
				{type: 'message_delta', delta: {stop_reason: 'tool_use'}},
				{type: 'message_stop'},
			];
		case 'gemini':
			return [{candidates: [{content: {parts: [{functionCall: {name, args}}]}, finishReason: 'STOP'}]}];
		case 'openai-responses':
			return [
				{
					type: 'response.output_item.done',
					output_index: 0,
					item: {type: 'function_call', call_id: 'c1', name, arguments: text},
				},
				{type: 'response.completed', response: {output: []}},
			];
		default:
			return [
				{
					choices: [
						{
							delta: {tool_calls: [{index: 0, id: 'c1', function: {name, arguments: text}}]},
							finish_reason: 'tool_calls',
						},
					],
				},
			];
	}
}

/** Starts a host on loopback that refuses what `refuse` says and answers the rest, on all wires. */
export async function refusingHost() {
	const state: {refuse: Refuse; stream: ((wire: WireName, body: JsonObject) => readonly object[]) | undefined} = {
		refuse: () => undefined,
		stream: undefined,
	};
	const bodies: JsonObject[] = [];
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk);
		}

		const body: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
		bodies.push(body);
		const refused = state.refuse(body);
		const status = refused?.status ?? (refused ? 400 : 200);
		const path = request.url ?? '';
		const wire = path.includes('/messages')
			? 'anthropic'
			: path.includes('generateContent') || path.includes('streamGenerate')
				? 'gemini'
				: path.endsWith('/responses')
					? 'openai-responses'
					: 'openai-chat';
		response.writeHead(status, {'content-type': refused ? 'application/json' : 'text/event-stream'});
		const stream = state.stream?.(wire, body) ?? answers[wire];
		response.end(refused ? refused.text : stream.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''));
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const {port} = server.address() as AddressInfo;
	const transport = createTransport({userAgent: 'test'});
	onTestFinished(() => transport.close());
	let count = 0;
	return {
		bodies,
		state,
		/** Returns what asks this host as a new one: nothing is remembered of it. */
		newClient(wire: WireName, rest: Partial<ProviderRequest> = {}) {
			count += 1;
			const baseUrl = `http://127.0.0.1:${port}/h${count}`;
			return {
				async ask(messages: readonly Message[], more: Partial<ProviderRequest> = {}) {
					const before = bodies.length;
					const request: ProviderRequest = {
						model: 'tiny',
						system: 'Be brief.',
						tools: [],
						signal: new AbortController().signal,
						...rest,
						...more,
						messages,
						transport,
						baseUrl,
					};
					const events: ProviderEvent[] = [];
					let error: unknown;
					try {
						for await (const event of (await adapterOf(wire))(request)) {
							events.push(event);
						}
					} catch (thrown) {
						error = thrown;
					}

					const text = events.map(event => (event.type === 'text-delta' ? event.text : '')).join('');
					const notices = events.flatMap(event => (event.type === 'notice' ? [event.text] : []));
					const calls = events.flatMap(event => (event.type === 'tool-call' ? [event] : []));
					return {text, notices, calls, error, sent: bodies.slice(before)};
				},
			};
		},
	};
}

/** Returns the tools of a body of any wire format, with their names and schemas. */
export function toolsIn(
	body: JsonObject,
): ReadonlyArray<{readonly name: string; readonly schema: JsonObject; readonly all: Json}> {
	const list = listAt(body, 'tools').flatMap(tool =>
		listAt(tool, 'functionDeclarations').concat(at(tool, 'functionDeclarations') ? [] : [tool]),
	);
	return list.map(tool => {
		const inner = at(tool, 'function') ?? tool;
		const schema = at(inner, 'parameters') ?? at(inner, 'input_schema') ?? at(inner, 'parametersJsonSchema') ?? {};
		return {name: textAt(inner, 'name'), schema: schema as JsonObject, all: inner};
	});
}

export const turnsIn = (body: JsonObject): readonly Json[] => [
	...listAt(body, 'messages'),
	...listAt(body, 'contents'),
	...listAt(body, 'input'),
];

/** Returns every key of a value, at any depth. */
export function keysIn(value: Json, found: string[] = []): readonly string[] {
	for (const [key, inner] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
		if (!Array.isArray(value)) {
			found.push(key);
		}

		keysIn(inner, found);
	}

	return found;
}

/** Returns the names of all properties of a schema. */
export function propertiesIn(schema: Json, found: string[] = []): readonly string[] {
	for (const [key, inner] of typeof schema === 'object' && schema !== null ? Object.entries(schema) : []) {
		if (key === 'properties' && typeof inner === 'object' && inner !== null) {
			found.push(...Object.keys(inner));
		}

		propertiesIn(inner, found);
	}

	return found;
}

export const error400 = (message: string) => ({
	text: JSON.stringify({error: {message, type: 'invalid_request_error'}}),
});

export const mcpTool = (server: string, name: string, parameters: JsonObject): ToolDefinition => ({
	name: `mcp__${server}__${name}`,
	description: `[MCP server ${server}] ${name}.`,
	parameters,
});

export const image = (hash: string, type: MessageImage['type'] = 'image/png'): MessageImage => ({
	hash,
	type,
	width: 2,
	height: 2,
	bytes: 3,
	data: 'AAAA',
	...(type === 'application/pdf' && {pages: 1}),
});
