import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import type {JsonObject} from '../../core/json.ts';
import type {ChatRequest} from './chat.ts';
import {type Reply, replyTo} from './reply.ts';

/** Pieces of text a second, about as fast as a real model. */
const piecesPerSecond = 45;

type Options = {
	/** The speed relative to a real model; Infinity for no delay. */
	readonly speed?: number;
};

/** Yields the reply as chunks of a Chat Completions stream, each a JSON text, and then `[DONE]`. */
export async function* streamCompletion(
	chat: ChatRequest,
	{speed = 1}: Options,
	signal: AbortSignal,
): AsyncGenerator<string> {
	const reply = replyTo(chat);
	const head = {...headOf(chat), object: 'chat.completion.chunk'};
	const delayMs = 1000 / (piecesPerSecond * speed);
	const chunk = (delta: JsonObject, finish: string | null = null) =>
		JSON.stringify({...head, choices: [{index: 0, delta, finish_reason: finish}]});

	yield chunk({role: 'assistant', content: ''});
	for (const delta of deltasOf(reply)) {
		if (delayMs > 0) {
			await sleep(delayMs, undefined, {signal});
		}

		yield chunk(delta);
	}

	yield chunk({}, finishOf(reply));
	if (chat.stream_options?.include_usage) {
		yield JSON.stringify({...head, choices: [], usage: countTokens(chat, reply)});
	}

	yield '[DONE]';
}

/** Returns the reply as one Chat Completions object. */
export function wholeCompletion(chat: ChatRequest): JsonObject {
	const reply = replyTo(chat);
	const {reasoning, text} = reply;
	const calls = reply.calls.map(callOf);
	const message = {
		role: 'assistant',
		content: text || null,
		reasoning_content: reasoning,
		...(calls.length > 0 && {tool_calls: calls}),
	};
	return {
		...headOf(chat),
		object: 'chat.completion',
		choices: [{index: 0, message, finish_reason: finishOf(reply)}],
		usage: countTokens(chat, reply),
	};
}

function headOf({model}: ChatRequest) {
	return {id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model};
}

function finishOf({calls}: Reply): string {
	return calls.length > 0 ? 'tool_calls' : 'stop';
}

function callOf({name, arguments: args}: Reply['calls'][number]) {
	return {id: `call_${randomUUID().slice(0, 8)}`, type: 'function', function: {name, arguments: JSON.stringify(args)}};
}

/** Yields reasoning, then text, then calls. Arguments come in pieces, as they do from a real model. */
function* deltasOf({reasoning, text, calls}: Reply): Generator<JsonObject> {
	for (const piece of piecesOf(reasoning)) {
		yield {reasoning_content: piece};
	}

	for (const piece of piecesOf(text)) {
		yield {content: piece};
	}

	for (const [index, call] of calls.map(callOf).entries()) {
		const {name, arguments: args} = call.function;
		yield {tool_calls: [{index, ...call, function: {name, arguments: ''}}]};
		for (const piece of piecesOf(args)) {
			yield {tool_calls: [{index, function: {arguments: piece}}]};
		}
	}
}

/** Splits a text into pieces about as long as tokens, never inside a character. */
export function piecesOf(text: string): readonly string[] {
	return text.match(/\s*\S{1,6}|\s+/gu) ?? [];
}

/** Usage as Chat Completions reports it; estimated at four characters a token. */
type ChatUsage = {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly total_tokens: number;
	readonly prompt_tokens_details: {readonly cached_tokens: number};
	readonly completion_tokens_details: {readonly reasoning_tokens: number};
};

/** Counts a request and its reply. The part that the previous request already contained counts as read from a cache. */
function countTokens({messages, tools}: ChatRequest, reply: Reply): ChatUsage {
	const lastAnswer = messages.findLastIndex(({role}) => role === 'assistant');
	const prompt = tokens(JSON.stringify({messages, tools}));
	const cached =
		lastAnswer < 0 ? 0 : Math.min(prompt, tokens(JSON.stringify({messages: messages.slice(0, lastAnswer), tools})));
	const reasoning = tokens(reply.reasoning);
	const completion =
		reasoning + tokens(reply.text) + (reply.calls.length > 0 ? tokens(JSON.stringify(reply.calls)) : 0);
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		prompt_tokens_details: {cached_tokens: cached},
		completion_tokens_details: {reasoning_tokens: reasoning},
	};
}

function tokens(text: string): number {
	return Math.ceil(text.length / 4);
}
