import type {Vendor} from '../failure.ts';

/** How a host differs from the others that speak Chat Completions. */
export type Quirks = Vendor & {
	/** It counts tokens in a stream only when asked by `stream_options`; the others count anyway, and may refuse the field. */
	readonly asksForUsage: boolean;
	readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
	/** Ids of calls that it takes. */
	readonly callId: RegExp;
	/** It wants the reasoning before a call back, in the field that it came in (DeepSeek, Kimi). */
	readonly takesReasoning: boolean;
	/** Claude may stand behind it, which caches only what is marked (OpenRouter, LiteLLM). */
	readonly marksCache: boolean;
	/** It refuses a user message right after the result of a call. */
	readonly answersBeforeUser: boolean;
};

const usual = {
	asksForUsage: false,
	maxTokensField: 'max_tokens',
	callId: /^.{1,64}$/,
	takesReasoning: false,
	marksCache: false,
	answersBeforeUser: false,
} as const;

/** The hosts that have a name here. */
export const quirksOf = {
	mistral: {...usual, name: 'mistral', label: 'Mistral', callId: /^[a-zA-Z0-9]{9}$/, answersBeforeUser: true},
	groq: {...usual, name: 'groq', label: 'Groq', maxTokensField: 'max_completion_tokens'},
	custom: {
		...usual,
		name: 'custom',
		label: 'The custom provider',
		asksForUsage: true,
		takesReasoning: true,
		marksCache: true,
	},
} as const satisfies Readonly<Record<string, Quirks>>;
