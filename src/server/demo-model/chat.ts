import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';

const message = z.looseObject({
	role: z.string(),
	content: z.optional(z.custom<Json>()),
	tool_calls: z.optional(
		z.nullable(
			z.array(z.looseObject({id: z.string(), function: z.looseObject({name: z.string(), arguments: z.string()})})),
		),
	),
	tool_call_id: z.optional(z.nullable(z.string())),
});

/**
 * The part of a Chat Completions request that the demo model reads. Everything else in messages and tools only counts
 * as tokens.
 */
export const chatSchema = z.object({
	model: z.string(),
	messages: z.array(message).check(z.minLength(1), z.maxLength(10_000)),
	tools: z.optional(
		z.nullable(
			z.array(z.looseObject({function: z.looseObject({name: z.string(), parameters: z.optional(z.custom<Json>())})})),
		),
	),
	stream: z.optional(z.nullable(z.boolean())),
	stream_options: z.optional(z.nullable(z.object({include_usage: z.optional(z.nullable(z.boolean()))}))),
});

export type ChatRequest = z.infer<typeof chatSchema>;
export type ChatMessage = ChatRequest['messages'][number];

/** The result of a tool call, with its arguments. */
export type ToolResult = {readonly name: string; readonly arguments: JsonObject; readonly output: string};

/** Returns the user's last message. */
export function lastPrompt({messages}: ChatRequest): string {
	return textOf(messages.findLast(({role}) => role === 'user'));
}

/** Returns the prompt that says what to work on: the one before, once its plan is accepted. */
export function workPrompt(chat: ChatRequest): string {
	const prompt = lastPrompt(chat);
	const before = /^carry out the plan\b/i.test(prompt)
		? chat.messages.filter(({role}) => role === 'user').at(-2)
		: undefined;
	return before ? textOf(before) : prompt;
}

/** Returns the tool results since the last message, in order; empty if the user's message is the last one. */
export function latestResults(chat: ChatRequest): readonly ToolResult[] {
	return resultsAfter(
		chat,
		chat.messages.findLastIndex(({role}) => role !== 'tool'),
	);
}

/** Returns all tool results since the user's last message, in order. */
export function resultsSincePrompt(chat: ChatRequest): readonly ToolResult[] {
	return resultsAfter(
		chat,
		chat.messages.findLastIndex(({role}) => role === 'user'),
	);
}

function resultsAfter({messages}: ChatRequest, index: number): readonly ToolResult[] {
	const calls = new Map(messages.flatMap(({tool_calls}) => tool_calls ?? []).map(call => [call.id, call.function]));
	const answers = messages.slice(index + 1).filter(({role}) => role === 'tool');
	return answers.map(answer => {
		const call = calls.get(answer.tool_call_id ?? '');
		const args = parseJson(call?.arguments ?? '');
		return {name: call?.name ?? '', arguments: isJsonObject(args) ? args : {}, output: textOf(answer)};
	});
}

/** Returns the text of a message, whose content is a string or a list of parts. */
function textOf(spoken: ChatMessage | undefined): string {
	const content = spoken?.content;
	const parts = Array.isArray(content) ? content : [content];
	return parts
		.map(part => (typeof part === 'string' ? part : isJsonObject(part) ? String(part['text'] ?? '') : ''))
		.join('');
}
