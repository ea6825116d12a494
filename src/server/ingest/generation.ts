import {entryOf} from '../../core/entry-of.ts';
import type {JsonObject} from '../../core/json.ts';
import {isProviderName, type ProviderName} from '../../core/model.ts';
import {countAt, textAt} from './read-attributes.ts';

/** What the conventions call an inference that answers with a message. */
const generating = ['chat', 'generate_content', 'text_completion'];

/** Whether a span is a message of a model. Older instrumentations name no operation, but model and usage. */
export function isGeneration(type: string, attributes: JsonObject): boolean {
	const isUnnamed =
		textAt(attributes, 'gen_ai.operation.name') === undefined && textAt(attributes, 'service.span.type') === undefined;
	return generating.includes(type) || (isUnnamed && countAt(attributes, 'gen_ai.usage.output_tokens') !== undefined);
}

/** The names that the conventions have for vendors whose models this server knows. */
const vendors: Readonly<Record<string, ProviderName>> = {
	'azure.ai.openai': 'openai',
	az_ai_openai: 'openai',
	'gcp.gemini': 'google',
	'gcp.vertex_ai': 'google',
	'gcp.gen_ai': 'google',
	gemini: 'google',
	vertex_ai: 'google',
	mistral_ai: 'mistral',
	x_ai: 'xai',
};

const providerOf = (attributes: JsonObject) =>
	textAt(attributes, 'gen_ai.provider.name') ?? textAt(attributes, 'gen_ai.system');

/** The model of a span as `provider/model-name`; its name alone where nobody says whose it is. */
export function modelOf(attributes: JsonObject): string | undefined {
	const name = textAt(attributes, 'gen_ai.response.model') ?? textAt(attributes, 'gen_ai.request.model');
	const provider = providerOf(attributes);
	if (name === undefined || provider === undefined || isProviderName(name.slice(0, Math.max(0, name.indexOf('/'))))) {
		return name;
	}

	return `${entryOf(vendors, provider) ?? provider}/${name}`;
}

/** The four buckets, as the table of messages has them. */
export type Buckets = {
	readonly input_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
	readonly output_tokens: number;
};

/**
 * Usage in disjoint buckets. By the conventions the input holds the cached tokens, whoever the provider is. Instrumentations
 * that hand on Anthropic's own numbers, which leave them out, use its own names for the cache, or an input smaller than it.
 */
export function bucketsOf(attributes: JsonObject): Buckets {
	const input = countAt(attributes, 'gen_ai.usage.input_tokens') ?? 0;
	const read = countAt(attributes, 'gen_ai.usage.cache_read.input_tokens');
	const creation = countAt(attributes, 'gen_ai.usage.cache_creation.input_tokens');
	const cacheRead = read ?? countAt(attributes, 'gen_ai.usage.cache_read_input_tokens') ?? 0;
	const cacheCreation = creation ?? countAt(attributes, 'gen_ai.usage.cache_creation_input_tokens') ?? 0;
	const isOlder = read === undefined && creation === undefined;
	const isAnthropic = providerOf(attributes) === 'anthropic';
	const isApart = isAnthropic && (isOlder || input < cacheRead + cacheCreation);
	return {
		input_tokens: isApart ? input : Math.max(0, input - cacheRead - cacheCreation),
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheCreation,
		output_tokens: countAt(attributes, 'gen_ai.usage.output_tokens') ?? 0,
	};
}
