/** Tokens of one model message, in four disjoint buckets; `reasoning` is the part of `output` that was thought. */
export type TokenUsage = {
	/** Input read again, without both cache buckets. */
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	readonly reasoning: number;
	/** What the provider says that the message cost, in US dollars; counts more than any price. */
	readonly costUsd?: number | undefined;
	/** True where nobody counted, as for an answer that was cut: the tokens were guessed from the length of the text. */
	readonly estimated?: boolean | undefined;
};

export const noUsage: TokenUsage = {input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0};

/** Adds tokens up. Costs are left out: those of several messages are `totalCost`. */
function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
	return {
		input: a.input + b.input,
		cacheRead: a.cacheRead + b.cacheRead,
		cacheWrite: a.cacheWrite + b.cacheWrite,
		output: a.output + b.output,
		reasoning: a.reasoning + b.reasoning,
		...((a.estimated || b.estimated) && {estimated: true}),
	};
}

/** All tokens that the model read for this message. */
export function contextTokens(usage: TokenUsage): number {
	return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** How full the context window is behind this message: what was read for it, and the message itself. */
export function windowTokens(usage: TokenUsage): number {
	return contextTokens(usage) + usage.output;
}

/** What a model takes, in US dollars per million tokens of each bucket. */
export type Price = {
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	/** What all tokens of a longer prompt take, by rising length. */
	readonly tiers?: readonly PriceTier[];
};

/** The price of prompts with more than `above` tokens. */
type PriceTier = Omit<Price, 'tiers'> & {readonly above: number};

/** Looks up what a model (`provider/model-name`) takes; undefined where nobody knows, never 0 for that. */
export type PriceOf = (model: string) => Price | undefined;

/** What one message cost in US dollars, as its provider says, else by the price; null where both are unknown. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | null {
	if (usage.costUsd !== undefined) {
		return usage.costUsd;
	}

	if (!price) {
		return null;
	}

	const prompt = contextTokens(usage);
	const {input, cacheRead, cacheWrite, output} = price.tiers?.findLast(({above}) => prompt > above) ?? price;
	const millionths =
		usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output;
	return millionths / 1_000_000;
}

/** One model message as the transcript keeps it for accounting. */
export type MessageUsage = {
	readonly model: string;
	readonly usage: TokenUsage;
	/** False once the message was folded into a compaction summary. */
	readonly current: boolean;
};

/** Usage of a session, field by field as the API has it (specification, `SessionUsageResponse`). */
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

/** The cost of several messages: null as soon as one of them used tokens at an unknown price, and when there are none. */
export function totalCost(messages: readonly MessageUsage[], priceOf: PriceOf): number | null {
	let total: number | null = null;
	for (const {model, usage} of messages) {
		const cost = costOf(usage, priceOf(model));
		if (cost === null) {
			return null;
		}

		total = (total ?? 0) + cost;
	}

	return total;
}

/** Usage by model, in the order in which the models were first used. */
export function usageByModel(messages: readonly MessageUsage[]): ReadonlyMap<string, TokenUsage> {
	const models = new Map<string, TokenUsage>();
	for (const {model, usage} of messages) {
		models.set(model, addUsage(models.get(model) ?? noUsage, usage));
	}

	return models;
}

/** Adds up the tokens of messages. */
export function sumUsage(messages: readonly MessageUsage[]): TokenUsage {
	return messages.reduce((sum, {usage}) => addUsage(sum, usage), noUsage);
}
