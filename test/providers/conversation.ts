import type {JsonObject} from '../../src/core/json.ts';
import type {Message} from '../../src/core/session/message.ts';
import type {ToolDefinition} from '../../src/core/session/tool.ts';
import type {Provider, ProviderEvent, ProviderRequest} from '../../src/providers/provider.ts';
import {collect, fakeHost, requestOf} from './replay.ts';

export const tool: ToolDefinition = {
	name: 'read_file',
	description: 'Reads a file',
	parameters: {type: 'object', properties: {path: {type: 'string'}}, required: ['path'], additionalProperties: false},
};

type Part = Extract<Message, {role: 'assistant'}>['parts'][number];

/** Returns the message that a transcript builds from events: deltas joined by id, with the last opaque part. */
export function messageOf(model: string, events: readonly ProviderEvent[]): Message {
	const parts = new Map<string, Part>();
	for (const event of events) {
		if (event.type === 'tool-call') {
			const {malformed: _, ...part} = event;
			parts.set(event.id, part);
		} else if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
			const type = event.type === 'text-delta' ? 'text' : 'reasoning';
			const key = `${type} ${event.id}`;
			const before = parts.get(key);
			const text = (before && 'text' in before ? before.text : '') + event.text;
			const opaque = event.opaque ?? before?.opaque;
			parts.set(key, {type, text, ...(opaque && {opaque})});
		}
	}

	return {role: 'assistant', model, parts: [...parts.values()]};
}

/** Returns the body that the provider sends for these messages. */
export async function bodyFor(
	provider: Provider,
	messages: readonly Message[],
	rest: Partial<ProviderRequest> = {},
): Promise<JsonObject> {
	const end = fakeHost({body: ''});
	await collect(provider(requestOf(end.transport, {messages, ...rest})));
	return end.bodyOf(0);
}

export const user = (text: string): Message => ({role: 'user', text});

export const result = (callId: string, output: string, failed = false): Message => ({
	role: 'tool',
	callId,
	name: 'read_file',
	output,
	failed,
});

/** A turn of another vendor: reasoning and a call with opaque data, and an id that few vendors accept. */
export const foreign: readonly Message[] = [
	user('Read it'),
	{
		role: 'assistant',
		model: 'custom/kimi',
		parts: [
			{type: 'reasoning', text: 'Hm', opaque: {wire: 'openai-chat', data: {field: 'reasoning_content'}}},
			{type: 'text', text: 'Reading.', opaque: {wire: 'other', data: 'x'}},
			{
				type: 'tool-call',
				id: 'functions.read:0',
				name: 'read_file',
				arguments: {path: 'a'},
				opaque: {wire: 'gemini', data: {thoughtSignature: 's'}},
			},
		],
	},
	result('functions.read:0', 'content'),
];
