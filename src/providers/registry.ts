import {keyVariables, type ProviderName} from '../core/model.ts';
import type {Provider} from './provider.ts';

/** A vendor, or a kind of host, as the rest of the program knows it. */
export type ProviderRow = {
	readonly name: ProviderName;
	/** How people call it. */
	readonly label: string;
	/** Environment variables that may hold the key, the first one that is set counts. */
	readonly keyVariables: readonly string[];
	/** Environment variable of another base URL. */
	readonly baseVariable: string;
	/** As the vendor's own SDK has it; undefined for `custom`, which has none. */
	readonly defaultBaseUrl: string | undefined;
	/** The header that carries the key; `bearer` is `Authorization: Bearer`. */
	readonly auth: 'bearer' | 'x-api-key' | 'x-goog-api-key';
	/** The model to begin with, without `provider/`; undefined for `custom`, whose host must be asked. */
	readonly defaultModel: string | undefined;
	/** Loads the adapter when it is first needed. */
	readonly load: () => Promise<Provider>;
};

/** All providers. A vendor that speaks Chat Completions is a row here and a row of quirks. */
export const registry: Readonly<Record<ProviderName, ProviderRow>> = {
	anthropic: {
		name: 'anthropic',
		label: 'Anthropic',
		keyVariables: keyVariables.anthropic,
		baseVariable: 'ANTHROPIC_BASE_URL',
		defaultBaseUrl: 'https://api.anthropic.com',
		auth: 'x-api-key',
		defaultModel: 'claude-sonnet-5',
		load: async () => (await import('./anthropic.ts')).anthropic,
	},
	openai: {
		name: 'openai',
		label: 'OpenAI',
		keyVariables: keyVariables.openai,
		baseVariable: 'OPENAI_BASE_URL',
		defaultBaseUrl: 'https://api.openai.com/v1',
		auth: 'bearer',
		defaultModel: 'gpt-6-sol',
		load: async () => (await import('./responses/openai-responses.ts')).openaiResponses,
	},
	google: {
		name: 'google',
		label: 'Google',
		keyVariables: keyVariables.google,
		baseVariable: 'GOOGLE_BASE_URL',
		defaultBaseUrl: 'https://generativelanguage.googleapis.com',
		auth: 'x-goog-api-key',
		defaultModel: 'gemini-3.8-flash',
		load: async () => (await import('./gemini.ts')).gemini,
	},
	mistral: {
		name: 'mistral',
		label: 'Mistral',
		keyVariables: keyVariables.mistral,
		baseVariable: 'MISTRAL_BASE_URL',
		defaultBaseUrl: 'https://api.mistral.ai/v1',
		auth: 'bearer',
		defaultModel: 'mistral-medium-latest',
		load: () => loadChat('mistral'),
	},
	groq: {
		name: 'groq',
		label: 'Groq',
		keyVariables: keyVariables.groq,
		baseVariable: 'GROQ_BASE_URL',
		defaultBaseUrl: 'https://api.groq.com/openai/v1',
		auth: 'bearer',
		defaultModel: 'openai/gpt-oss-120b',
		load: () => loadChat('groq'),
	},
	custom: {
		name: 'custom',
		label: 'Custom',
		keyVariables: keyVariables.custom,
		baseVariable: 'CUSTOM_BASE_URL',
		defaultBaseUrl: undefined,
		auth: 'bearer',
		defaultModel: undefined,
		load: () => loadChat('custom'),
	},
};

async function loadChat(name: 'mistral' | 'groq' | 'custom'): Promise<Provider> {
	const [{openaiChat}, {quirksOf}] = await Promise.all([
		import('./chat/openai-chat.ts'),
		import('./chat/openai-chat-quirks.ts'),
	]);
	return openaiChat(quirksOf[name]);
}
