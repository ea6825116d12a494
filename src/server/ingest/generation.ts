import {entryOf} from '../../core/entry-of.ts';
import type {JsonObject} from '../../core/json.ts';
import {isProviderName, type ProviderName} from '../../core/model.ts';
import {countAt, textAt} from './read-attributes.ts';

/** The conventions' operations that produce a message. */
const generating = ['chat', 'generate_content', 'text_completion'];

/** Returns whether a span is a model's message. Older instrumentations set a model and usage but no operation. */
export function isGeneration(type: string, attributes: JsonObject): boolean {
	const isUnnamed =
		textAt(attributes, 'gen_ai.operation.name') === undefined && textAt(attributes, 'service.span.type') === undefined;
	return generating.includes(type) || (isUnnamed && countAt(attributes, 'gen_ai.usage.output_tokens') !== undefined);
}

/** The conventions' names of providers that this server knows. */
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

/** Returns the model of a span as `provider/model-name`; just its name if the provider is unknown. */
export function modelOf(attributes: JsonObject): string | undefined {
	const name = textAt(attributes, 'gen_ai.response.model') ?? textAt(attributes, 'gen_ai.request.model');
	const provider = providerOf(attributes);
	if (name === undefined || provider === undefined || isProviderName(name.slice(0, Math.max(0, name.indexOf('/'))))) {
		return name;
	}

	return `${entryOf(vendors, provider) ?? provider}/${name}`;
}

/** The four token counts, named as in the table of messages. */
export type Buckets = {
	readonly input_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
	readonly output_tokens: number;
};

/**
 * Returns usage as disjoint token counts. By the conventions, input includes cached tokens for every provider. Some
 * instrumentations pass on Anthropic's own numbers, which exclude them: those use Anthropic's names for the cache, or
 * an input smaller than the cache.
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
