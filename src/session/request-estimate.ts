import type {LedgerOptions} from '../agent/ledger-entry.ts';
import {tokensOfDefinitions, tokensOfMessages} from '../agent/usage-estimate.ts';
import type {Message} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import {contextTokens, costOf, isTurn, type MessageUsage, noUsage, type PriceOf} from '../core/session/usage.ts';

/** Tokens of a system prompt, and of an answer, before any was reported. */
const [usualSystem, usualAnswer] = [2000, 500];

/** What is known of a request and of those before it. */
export type Known = Pick<LedgerOptions, 'model' | 'cause'> & {
	readonly all: readonly MessageUsage[];
	readonly tools: readonly ToolDefinition[];
	readonly priceOf: PriceOf;
};

/**
 * Returns the estimated cost of the next request in US dollars: what the last one read, as cheap as it was then, and what
 * is new since. A sub-agent reads none of what the agent did. Null if the price is unknown, and the provider reported no cost
 * of an earlier one.
 */
export function estimateRequest(
	messages: readonly Message[],
	{all, model, cause, tools, priceOf}: Known,
): number | null {
	const turns = all.filter(message => isTurn(message) && message.model === model);
	const output = turns.length > 0 ? turns.reduce((sum, {usage}) => sum + usage.output, 0) / turns.length : usualAnswer;
	const last = turns.at(-1);
	const price = priceOf(model);
	if (!price) {
		return last?.usage.costUsd ?? null;
	}

	const count = last?.current && cause !== 'task' ? (last.prefix?.count ?? 0) : 0;
	if (!last || count === 0 || count > messages.length) {
		const input = usualSystem + tokensOfDefinitions(tools) + tokensOfMessages(messages);
		return costOf({...noUsage, input, output}, price);
	}

	const {usage} = last;
	const isCaching = usage.cacheRead + usage.cacheWrite > 0;
	const read = contextTokens(usage);
	const fresh = tokensOfMessages(messages.slice(count));
	const buckets = isCaching ? {cacheRead: read, input: fresh} : {input: read + fresh};
	return costOf({...noUsage, ...buckets, output}, price);
}
