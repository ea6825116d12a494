import * as z from 'zod/mini';

/** See `TokenUsage`. */
export const tokenUsage = z.object({
	input: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
	output: z.number(),
	reasoning: z.number(),
	costUsd: z.optional(z.number()),
	estimated: z.optional(z.boolean()),
});

export const usageCause = z.enum(['turn', 'retry', 'compaction', 'task', 'watch']);
/**
 * What a request was for: a turn of the conversation, another attempt of one, the summary of a compaction, a turn of a
 * sub-agent, or a turn that a watch asked for.
 */
export type UsageCause = z.infer<typeof usageCause>;

/** The price of a request when it was made, in US dollars per million tokens, and the table that it is from. */
export const requestPrice = z.object({
	/** The date of the price table; `server` for a price that the model's server named, `settings` for one that the user did. */
	table: z.string(),
	input: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
	output: z.number(),
});
export type RequestPrice = Readonly<z.infer<typeof requestPrice>>;

/** Where a request went: its base URL, or `demo` for the embedded server, and the variable that its key was from. */
export const requestEndpoint = z.object({
	/** Without what may be a key in its query. */
	host: z.string(),
	/** `stored` for a stored key, `none` for no key. */
	key: z.string(),
	/** What tells the key from another one, and is far too short to tell what it is; left out for a short key. */
	keyMark: z.optional(z.string()),
});
export type RequestEndpoint = Readonly<z.infer<typeof requestEndpoint>>;

/** Hashes of what a request began with, to find out why a vendor's cache did not have it. */
export const requestPrefix = z.object({
	system: z.string(),
	tools: z.string(),
	/** The reasoning effort; left out for the model's own. */
	effort: z.optional(z.string()),
	/** The number of messages, and their hash. */
	count: z.number(),
	messages: z.string(),
	/** The hash of as many messages as the request before it had. */
	earlier: z.string(),
});
export type RequestPrefix = Readonly<z.infer<typeof requestPrefix>>;
