import {createHash} from 'node:crypto';
import {createListHash} from '../core/list-start.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {RequestPrefix, RequestPrice, UsageCause} from '../core/session/request-record.ts';
import type {TokenUsage} from '../core/session/usage.ts';
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
