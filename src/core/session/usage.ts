import type {RequestEndpoint, RequestPrefix, RequestPrice, UsageCause} from './request-record.ts';

/** Tokens of one model message, in four disjoint buckets; `reasoning` is a part of `output`. */
export type TokenUsage = {
	/** Input without both cache buckets. */
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	readonly reasoning: number;
	/** The cost of the message in US dollars as the provider reports it; wins over any price. */
	readonly costUsd?: number | undefined;
	/**
	 * True if the provider reported no tokens, as for an interrupted answer: they are estimated from the length of the
	 * text.
	 */
	readonly estimated?: boolean | undefined;
};

export const noUsage: TokenUsage = {input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0};

/** Returns all tokens that the model read for this message. */
export function contextTokens(usage: TokenUsage): number {
	return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Returns how much of the context window is used after this message: its input and output. */
export function windowTokens(usage: TokenUsage): number {
	return contextTokens(usage) + usage.output;
}

/** The price of a model, in US dollars per million tokens of each bucket. */
export type Price = {
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	/** The prices of all tokens of longer prompts, by rising length. */
	readonly tiers?: readonly PriceTier[];
};

/** The price of prompts with more than `above` tokens. */
type PriceTier = Omit<Price, 'tiers'> & {readonly above: number};

/** Returns the price of a model (`provider/model-name`); undefined if unknown, never 0 for that. */
export type PriceOf = (model: string) => Price | undefined;

/** Returns the cost of messages: null if any used tokens at an unknown price, or if there are no messages. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | null {
	if (usage.costUsd !== undefined) {
		return usage.costUsd;
	}

	if (!price) {
		return null;
	}

	const {input, cacheRead, cacheWrite, output} = ratesOf(usage, price);
	const millionths =
		usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output;
	return millionths / 1_000_000;
}

/** One request as the transcript stores it for accounting. */
export type MessageUsage = {
	readonly model: string;
	readonly usage: TokenUsage;
	/** False after the message was compacted into a summary. */
	readonly current: boolean;
	/** When its usage was first reported, ISO 8601 in UTC. */
	readonly at: string;
	/** What the request was for; left out by versions that named compactions only. */
	readonly cause?: UsageCause | undefined;
	/** The price of then, which wins over that of today. */
	readonly price?: RequestPrice | undefined;
	readonly prefix?: RequestPrefix | undefined;
	readonly endpoint?: RequestEndpoint | undefined;
};

/** What the cost of a request is counted from. */
export type Spent = Pick<MessageUsage, 'model' | 'usage' | 'price'>;

/** True for a turn of the conversation that the user sees, also if it was retried or a watch asked for it. */
export function isTurn({cause}: MessageUsage): boolean {
	return cause !== 'compaction' && cause !== 'task';
}

/** Returns the cost of a request in US dollars; null if its price is unknown. */
export function costOfMessage({model, usage, price}: Spent, priceOf: PriceOf): number | null {
	return costOf(usage, price ?? priceOf(model));
}

/** Usage of a session, with the field names of the API (specification, `SessionUsageResponse`). */
export type SessionUsage = {
	readonly compaction_count: number;
	readonly current_cache_creation_input_tokens: number;
	readonly current_cache_read_input_tokens: number;
	readonly current_cost_usd: number | null;
	readonly current_input_tokens: number;
	readonly current_message_count: number;
	readonly current_output_tokens: number;
	readonly current_tool_call_count: number;
	readonly last_generation_input_tokens: number | null;
	readonly total_cache_creation_input_tokens: number;
	readonly total_cache_read_input_tokens: number;
	readonly total_cost_usd: number | null;
	readonly total_input_tokens: number;
	readonly total_message_count: number;
	readonly total_output_tokens: number;
	readonly total_tool_call_count: number;
};

/** Returns the cost of several messages: null as soon as one of them used tokens at an unknown price, and when there are none. */
export function totalCost(messages: readonly Spent[], priceOf: PriceOf): number | null {
	let total: number | null = null;
	for (const message of messages) {
		const cost = costOfMessage(message, priceOf);
		if (cost === null) {
			return null;
		}

		total = (total ?? 0) + cost;
	}

	return total;
}

/** Returns the price of a request with this usage, for prompts of its length. */
export function ratesOf(usage: TokenUsage, {tiers, ...price}: Price): Omit<Price, 'tiers'> {
	const prompt = contextTokens(usage);
	const {input, cacheRead, cacheWrite, output} = tiers?.findLast(({above}) => prompt > above) ?? price;
	return {input, cacheRead, cacheWrite, output};
}

/** Returns usage by model, in the order in which the models were first used. */
export function usageByModel(messages: readonly Spent[]): ReadonlyMap<string, TokenUsage> {
	const models = new Map<string, TokenUsage>();
	for (const {model, usage} of messages) {
		models.set(
			model,
			sumUsage([
				{model, usage: models.get(model) ?? noUsage},
				{model, usage},
			]),
		);
	}

	return models;
}

/** Adds up the tokens of messages, without costs: see `totalCost`. */
export function sumUsage(messages: readonly Spent[]): TokenUsage {
	const sum = {...noUsage};
	let estimated = false;
	for (const {usage} of messages) {
		sum.input += usage.input;
		sum.cacheRead += usage.cacheRead;
		sum.cacheWrite += usage.cacheWrite;
		sum.output += usage.output;
		sum.reasoning += usage.reasoning;
		estimated ||= usage.estimated === true;
	}

	return {...sum, ...(estimated && {estimated})};
}
