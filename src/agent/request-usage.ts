import {createHash} from 'node:crypto';
import {createListHash} from '../core/list-start.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {AssistantPart, Message, MessageImage} from '../core/session/message.ts';
import type {RequestPrefix, RequestPrice, UsageCause} from '../core/session/request-record.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import {noUsage, type TokenUsage} from '../core/session/usage.ts';
import type {RequestBeginning} from '../providers/provider.ts';

/** Returns a short hash of a value as JSON. */
export function hashOf(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, hashLength);
}

const hashLength = 12;

/** Returns what `hashOf` does for the first `count` messages of a conversation; only those that are new cost anything. */
const hashMessages = createListHash<Message>();

export type LedgerOptions = {
	/** `provider/model-name`. */
	readonly model: string;
	/** What the requests are for; a turn of the conversation by default. */
	readonly cause?: UsageCause | undefined;
	/** Returns what a request with this usage is priced by; undefined if the price is unknown. */
	readonly priceOf?: ((model: string, usage: TokenUsage) => Promise<RequestPrice | undefined>) | undefined;
	/** The number of messages that the request before this one had. */
	readonly sentBefore?: number | undefined;
};

/** What is known of one request: how often it was tried before, and what it began with. */
export type RequestFacts = {readonly isRetry: boolean; readonly beginning: RequestBeginning | undefined};

type UsageEvent = Extract<AgentEvent, {type: 'usage'}>;

/** Returns what writes the usage of requests with these messages: with its cause, its price and hashes of its beginning. */
export function createLedger(
	{model, cause = 'turn', priceOf, sentBefore = 0}: LedgerOptions,
	messages: readonly Message[],
): Ledger {
	let hashes: Pick<RequestPrefix, 'count' | 'messages' | 'earlier'> | undefined;
	const prefixOf = ({type: _, endpoint: _endpoint, ...beginning}: RequestBeginning): RequestPrefix => {
		hashes ??= {
			count: messages.length,
			// The shorter list first: the longer one continues it.
			earlier: hashMessages(messages, sentBefore).slice(0, hashLength),
			messages: hashMessages(messages, messages.length).slice(0, hashLength),
		};
		return {...beginning, ...hashes};
	};

	return async (messageId, usage, {isRetry, beginning}) => {
		const price = usage.costUsd === undefined ? await priceOf?.(model, usage) : undefined;
		return {
			type: 'usage',
			messageId,
			model,
			usage,
			cause: isRetry && cause === 'turn' ? 'retry' : cause,
			...(price && {price}),
			...(beginning && {prefix: prefixOf(beginning)}),
			...(beginning?.endpoint && {endpoint: beginning.endpoint}),
		};
	};
}

/** Writes the usage of one request. */
export type Ledger = (messageId: string, usage: TokenUsage, facts: RequestFacts) => Promise<UsageEvent>;

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
