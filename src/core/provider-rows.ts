/** How a host differs from other hosts of Chat Completions. */
export type ChatQuirks = {
	/** Counts tokens in a stream only if asked by `stream_options`; other hosts always do, and may reject the field. */
	readonly asksForUsage: boolean;
	readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
	/** The ids of calls that it accepts. */
	readonly callId: RegExp;
	/** Needs the reasoning before a call sent back, in the field that it came in (DeepSeek, Kimi). */
	readonly takesReasoning: boolean;
	/** May run Claude, which caches only marked content (OpenRouter, LiteLLM). */
	readonly marksCache: boolean;
	/** Rejects a user message right after the result of a call. */
	readonly answersBeforeUser: boolean;
};

/** Everything that the program knows about a vendor or a kind of host. */
export type ProviderData = {
	/** The name for users. */
	readonly label: string;
	/** The environment variables that may hold the key; the first one that is set counts. */
	readonly keyVariables: readonly string[];
	/** The environment variable for another base URL. */
	readonly baseVariable: string;
	/** The base URL of the vendor's own SDK; undefined for `custom`, which has none. */
	readonly defaultBaseUrl: string | undefined;
	/** The header that carries the key; `bearer` is `Authorization: Bearer`. */
	readonly auth: 'bearer' | 'x-api-key' | 'x-goog-api-key';
	/** The model to start with, without `provider/`; undefined if the host has to be asked. */
	readonly defaultModel: string | undefined;
	readonly adapter: 'anthropic' | 'gemini' | 'openai-chat' | 'openai-responses';
	/** How its Chat Completions differ. */
	readonly quirks?: Partial<ChatQuirks>;
	/** A program that users run themselves: it needs no key unless it asks for one. */
	readonly keyless?: boolean;
	/** The path below the base URL that checks a key for free; `models` by default. */
	readonly checkPath?: string;
	/** Runs models of others under their names, so that such a name alone does not mean this vendor. */
	readonly resells?: boolean;
	/** Its name in the price package, and the models that it still recommends; by default all that have a price. */
	readonly prices?: {readonly source: string; readonly current?: RegExp};
};

const chat = {auth: 'bearer', adapter: 'openai-chat'} as const;

const rows = {
	anthropic: {
		label: 'Anthropic',
		keyVariables: ['ANTHROPIC_API_KEY'],
		baseVariable: 'ANTHROPIC_BASE_URL',
		defaultBaseUrl: 'https://api.anthropic.com',
		auth: 'x-api-key',
		adapter: 'anthropic',
		defaultModel: 'claude-sonnet-5',
		checkPath: 'v1/models',
		prices: {source: 'anthropic', current: /^claude-(?!2|3|v1)(?!.*-4-0$)/},
	},
	openai: {
		label: 'OpenAI',
		keyVariables: ['OPENAI_API_KEY'],
		baseVariable: 'OPENAI_BASE_URL',
		defaultBaseUrl: 'https://api.openai.com/v1',
		auth: 'bearer',
		adapter: 'openai-responses',
		defaultModel: 'gpt-6-sol',
		prices: {source: 'openai', current: /^(?:gpt-[5-9]|gpt-4\.1|gpt-4o(?:-mini)?$|o3$|o3-pro|o4-mini$)/},
	},
	google: {
		label: 'Google',
		keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
		baseVariable: 'GOOGLE_BASE_URL',
		defaultBaseUrl: 'https://generativelanguage.googleapis.com',
		auth: 'x-goog-api-key',
		adapter: 'gemini',
		defaultModel: 'gemini-3.8-flash',
		checkPath: 'v1beta/models',
		prices: {source: 'google', current: /^gemini-(?:2\.5|[3-9])/},
	},
	mistral: {
		...chat,
		label: 'Mistral',
		keyVariables: ['MISTRAL_API_KEY'],
		baseVariable: 'MISTRAL_BASE_URL',
		defaultBaseUrl: 'https://api.mistral.ai/v1',
		defaultModel: 'mistral-medium-latest',
		quirks: {callId: /^[a-zA-Z0-9]{9}$/, answersBeforeUser: true},
		prices: {source: 'mistral', current: /-2[5-9]\d\d$|-latest$|-3-5$/},
	},
	groq: {
		...chat,
		label: 'Groq',
		keyVariables: ['GROQ_API_KEY'],
		baseVariable: 'GROQ_BASE_URL',
		defaultBaseUrl: 'https://api.groq.com/openai/v1',
		defaultModel: 'openai/gpt-oss-120b',
		quirks: {maxTokensField: 'max_completion_tokens'},
		prices: {
			source: 'groq',
			current: /^(?:llama-3\.1-8b-instant|llama-3\.3-70b-versatile|(?:meta-llama\/llama-4|openai|qwen|moonshotai).*)/,
		},
	},
	openrouter: {
		...chat,
		label: 'OpenRouter',
		keyVariables: ['OPENROUTER_API_KEY'],
		baseVariable: 'OPENROUTER_BASE_URL',
		defaultBaseUrl: 'https://openrouter.ai/api/v1',
		defaultModel: 'anthropic/claude-sonnet-5',
		quirks: {asksForUsage: true, marksCache: true},
		// The list of models is public, so it cannot check a key.
		checkPath: 'key',
		resells: true,
		prices: {
			source: 'openrouter',
			current:
				/^(?:anthropic\/claude-(?:fable|haiku|opus|sonnet)-(?:4\.[5-9]|[5-9])(?!.*-fast)|deepseek\/deepseek-v4|google\/gemini-3|minimax\/minimax-m3|moonshotai\/kimi-k(?:2\.[67]|3)|openai\/gpt-(?:5\.[45]|6)|qwen\/qwen3\.7|x-ai\/grok-4\.[3-9]|z-ai\/glm-5\.[2-9])/,
		},
	},
	deepseek: {
		...chat,
		label: 'DeepSeek',
		keyVariables: ['DEEPSEEK_API_KEY'],
		baseVariable: 'DEEPSEEK_BASE_URL',
		defaultBaseUrl: 'https://api.deepseek.com',
		defaultModel: 'deepseek-v4-pro',
		quirks: {asksForUsage: true, takesReasoning: true},
		prices: {source: 'deepseek', current: /^deepseek-v4/},
	},
	xai: {
		...chat,
		label: 'xAI',
		keyVariables: ['XAI_API_KEY'],
		baseVariable: 'XAI_BASE_URL',
		defaultBaseUrl: 'https://api.x.ai/v1',
		defaultModel: 'grok-4.6',
		quirks: {asksForUsage: true, maxTokensField: 'max_completion_tokens'},
		prices: {source: 'x-ai', current: /^grok-(?:4\.[3-9]|build|code)/},
	},
	together: {
		...chat,
		label: 'Together AI',
		keyVariables: ['TOGETHER_API_KEY'],
		baseVariable: 'TOGETHER_BASE_URL',
		defaultBaseUrl: 'https://api.together.ai/v1',
		defaultModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
		quirks: {asksForUsage: true, takesReasoning: true},
		resells: true,
		prices: {source: 'together', current: /^meta-llama\/Llama-(?:3\.3|4)/},
	},
	fireworks: {
		...chat,
		label: 'Fireworks',
		keyVariables: ['FIREWORKS_API_KEY'],
		baseVariable: 'FIREWORKS_BASE_URL',
		defaultBaseUrl: 'https://api.fireworks.ai/inference/v1',
		defaultModel: 'accounts/fireworks/models/glm-5p2',
		quirks: {asksForUsage: true, takesReasoning: true},
		resells: true,
		prices: {source: 'fireworks', current: /models\/(?:deepseek-v4|glm-5|gpt-oss|kimi-k|minimax-m[23]|qwen3p)/},
	},
	cerebras: {
		...chat,
		label: 'Cerebras',
		keyVariables: ['CEREBRAS_API_KEY'],
		baseVariable: 'CEREBRAS_BASE_URL',
		defaultBaseUrl: 'https://api.cerebras.ai/v1',
		defaultModel: 'gpt-oss-120b',
		quirks: {asksForUsage: true, maxTokensField: 'max_completion_tokens'},
		resells: true,
		prices: {source: 'cerebras'},
	},
	ollama: {
		...chat,
		label: 'Ollama',
		keyVariables: [],
		baseVariable: 'OLLAMA_BASE_URL',
		defaultBaseUrl: 'http://127.0.0.1:11434/v1',
		defaultModel: undefined,
		quirks: {asksForUsage: true, takesReasoning: true},
		keyless: true,
	},
	lmstudio: {
		...chat,
		label: 'LM Studio',
		keyVariables: [],
		baseVariable: 'LMSTUDIO_BASE_URL',
		defaultBaseUrl: 'http://127.0.0.1:1234/v1',
		defaultModel: undefined,
		quirks: {asksForUsage: true, takesReasoning: true},
		keyless: true,
	},
	custom: {
		...chat,
		label: 'Custom',
		keyVariables: ['CUSTOM_API_KEY'],
		baseVariable: 'CUSTOM_BASE_URL',
		defaultBaseUrl: undefined,
		defaultModel: undefined,
		quirks: {asksForUsage: true, takesReasoning: true, marksCache: true},
		keyless: true,
	},
} as const satisfies Readonly<Record<string, ProviderData>>;

export type ProviderName = keyof typeof rows;

/** The model vendors, local model servers, and `custom`, any host that speaks Chat Completions. */
export const providerRows: Readonly<Record<ProviderName, ProviderData>> = rows;
