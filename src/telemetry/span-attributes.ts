import {cutText} from '../core/cut-text.ts';
import type {JsonObject} from '../core/json.ts';
import {isProviderName} from '../core/model.ts';
import type {Span} from '../core/otlp.ts';
import type {StopReason} from '../core/session/event.ts';
import {contextTokens, costOfMessage, type PriceOf, type Spent, type TokenUsage} from '../core/session/usage.ts';

type Attributes = Span['attributes'];

/** Providers that OpenTelemetry's GenAI conventions name otherwise. */
const providers: Readonly<Record<string, string>> = {google: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai'};

/** Returns the attributes of a model, given as `provider/model-name`. */
export function modelAttributes(model: string): Attributes {
	const slash = model.indexOf('/');
	if (slash === -1) {
		return {'gen_ai.request.model': model};
	}

	const provider = model.slice(0, slash);
	const name = model.slice(slash + 1);
	// A reseller's name may begin with another provider: then only the whole id says who ran it.
	const isAmbiguous = isProviderName(name.slice(0, Math.max(0, name.indexOf('/'))));
	return {
		'gen_ai.provider.name': providers[provider] ?? provider,
		'gen_ai.request.model': isAmbiguous ? model : name,
	};
}

/** Returns the attributes of usage. By the conventions, input includes cached tokens and output includes reasoning. */
export function usageAttributes(usage: TokenUsage): Attributes {
	const orNothing = (count: number) => (count > 0 ? count : undefined);
	return {
		'gen_ai.usage.input_tokens': contextTokens(usage),
		'gen_ai.usage.output_tokens': usage.output,
		'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
		'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
		'gen_ai.usage.reasoning.output_tokens': orNothing(usage.reasoning),
		'service.usage.estimated': usage.estimated,
	};
}

/** Returns the attribute of a request's cost in US dollars; none if the price is unknown. */
export function costAttribute(spent: Spent, priceOf: PriceOf): Attributes {
	return {'service.usage.cost_usd': costOfMessage(spent, priceOf) ?? undefined};
}

const finishReasons: Readonly<Record<StopReason, string>> = {
	end_turn: 'stop',
	max_tokens: 'length',
	tool_use: 'tool_call',
	refusal: 'content_filter',
	error: 'error',
	incomplete: 'error',
};

/** Returns a finish reason as the conventions name it. */
export function finishReason(reason: StopReason): string {
	return finishReasons[reason];
}

/** Most characters of a text in a span: what is longer is cut. */
export const maxContent = 32 * 1024;

/** Most characters of a name in a span. */
const maxName = 200;

export const nameText = (name: string) => cutText(name, maxName);

/** Returns content as the conventions write it, as JSON; an empty list for one that is far too long, as half of it is none. */
function contentJson(messages: readonly object[]): string {
	const json = JSON.stringify(messages);
	return json.length > 4 * maxContent ? '[]' : json;
}

/** A call of a tool, as the model wrote it. */
export type CallAttributes = {readonly id: string; readonly name: string; readonly arguments: JsonObject};

/** Returns messages of the user as content. */
export function inputContent(texts: readonly string[]): string {
	return contentJson(texts.map(content => ({role: 'user', parts: [{type: 'text', content}]})));
}

/** Returns an answer of the model as content. */
export function outputContent(text: string, calls: readonly CallAttributes[], finish_reason: string): string {
	const parts = [
		...(text ? [{type: 'text', content: text}] : []),
		...calls.map(({id, name, arguments: args}) => ({type: 'tool_call', id, name, arguments: args})),
	];
	return contentJson([{role: 'assistant', parts, finish_reason}]);
}

/** Returns the arguments of a call as content. */
export function argumentsContent(args: JsonObject): string {
	const json = JSON.stringify(args);
	return json.length > maxContent ? '{}' : json;
}
