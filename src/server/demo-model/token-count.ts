import type {ChatRequest} from './chat.ts';
import type {Reply} from './reply.ts';

/** Usage as Chat Completions reports it; estimated at four characters a token. */
export type ChatUsage = {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly total_tokens: number;
	readonly prompt_tokens_details: {readonly cached_tokens: number};
	readonly completion_tokens_details: {readonly reasoning_tokens: number};
};

/** Counts a request and its reply. The part that the previous request already contained counts as read from a cache. */
export function countTokens({messages, tools}: ChatRequest, reply: Reply): ChatUsage {
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
