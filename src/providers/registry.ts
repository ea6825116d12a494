import {providerNames} from '../core/model.ts';
import {type ProviderData, type ProviderName, providerRows} from '../core/provider-rows.ts';
import type {Provider} from './provider.ts';

/** A vendor, or a kind of host. */
export type ProviderRow = ProviderData & {
	readonly name: ProviderName;
	/** Loads the adapter. */
	readonly load: () => Promise<Provider>;
};

const adapters: Readonly<Record<ProviderData['adapter'], (name: ProviderName) => Promise<Provider>>> = {
	anthropic: async () => (await import('./anthropic.ts')).anthropic,
	gemini: async () => (await import('./gemini.ts')).gemini,
	'openai-responses': async () => (await import('./responses/openai-responses.ts')).openaiResponses,
	async 'openai-chat'(name) {
		const [{openaiChat}, {quirksOf}] = await Promise.all([
			import('./chat/openai-chat.ts'),
			import('./chat/openai-chat-request.ts'),
		]);
		return openaiChat(quirksOf(name));
	},
};

function rowOf(name: ProviderName): ProviderRow {
	const row = providerRows[name];
	return {...row, name, load: () => adapters[row.adapter](name)};
}

/** All providers, in the order of `providerRows`. */
export const registry = Object.fromEntries(providerNames.map(name => [name, rowOf(name)])) as Readonly<
	Record<ProviderName, ProviderRow>
>;

/** The embedded server, which speaks Chat Completions as the hosts of users do. */
export const demoRow = {
	auth: 'bearer',
	async load() {
		const [{openaiChat}, {quirksOf}] = await Promise.all([
			import('./chat/openai-chat.ts'),
			import('./chat/openai-chat-request.ts'),
		]);
		return openaiChat({...quirksOf('custom'), label: 'Demo model'});
	},
} as const satisfies Pick<ProviderRow, 'auth' | 'load'>;
