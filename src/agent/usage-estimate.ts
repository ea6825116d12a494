import type {AssistantPart, Message, MessageImage} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import {noUsage, type TokenUsage} from '../core/session/usage.ts';

type Request = {readonly messages: readonly Message[]; readonly tools: readonly ToolDefinition[]};

/**
 * Returns the estimated usage of an answer of which the provider didn't report all, such as one that broke off. Keeps
 * what was reported; undefined if the answer is empty or the report covers it.
 */
export function estimateUsage(
	{messages, tools}: Request,
	parts: readonly AssistantPart[],
	counted: TokenUsage | undefined,
): TokenUsage | undefined {
	const output = parts.reduce((sum, part) => sum + tokensOf(textOf(part)), 0);
	if (output <= (counted?.output ?? 0)) {
		return undefined;
	}

	const read = {
		...noUsage,
		input: tokensOfDefinitions(tools) + tokensOfMessages(messages),
	};
	const reasoning = parts
		.filter(({type}) => type === 'reasoning')
		.reduce((sum, part) => sum + tokensOf(textOf(part)), 0);
	return {...(counted ?? read), output, reasoning: Math.max(reasoning, counted?.reasoning ?? 0), estimated: true};
}

/** Returns the estimated tokens of the definitions of tools; 0 for none, because a request without tools has no list. */
export function tokensOfDefinitions(tools: readonly ToolDefinition[]): number {
	const definitions = tools.map(({name, description, parameters}) => ({name, description, parameters}));
	return definitions.length > 0 ? tokensOf(JSON.stringify(definitions)) : 0;
}

/** Returns the estimated tokens of messages. */
export function tokensOfMessages(messages: readonly Message[]): number {
	return messages.reduce((sum, each) => sum + tokensRead(each), 0);
}

function tokensRead(message: Message): number {
	switch (message.role) {
		case 'user':
			return (message.images ?? []).reduce((sum, image) => sum + tokensOfImage(image), tokensOf(message.text));
		case 'tool':
			return (message.images ?? []).reduce((sum, image) => sum + tokensOfImage(image), tokensOf(message.output));
		case 'assistant':
			return message.parts.reduce((sum, part) => sum + tokensOf(textOf(part)), 0);
		default:
			return message satisfies never;
	}
}

/** Vendors read the text of a page, and look at it. */
const tokensOfPage = 2000;

/** Vendors shrink images to about 1.2 megapixels, and count about 750 pixels as a token. */
function tokensOfImage({width, height, pages}: MessageImage): number {
	if (pages !== undefined) {
		return pages * tokensOfPage;
	}

	return Math.ceil(Math.min(width * height, 1_200_000) / 750);
}

function textOf(part: AssistantPart): string {
	return part.type === 'tool-call' ? part.name + JSON.stringify(part.arguments) : part.text;
}

/** Returns the estimated tokens of a text: one for about four Latin letters, or for one character of most other scripts. */
export function tokensOf(text: string): number {
	const others = text.match(/[^\0-\u{24f}]/gu)?.length ?? 0;
	return Math.ceil((text.length - others) / 4 + others);
}
