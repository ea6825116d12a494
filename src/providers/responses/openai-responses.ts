import type {Json} from '../../core/json.ts';
import {callIds, finishOf, finishWithCalls, toolCall} from '../calls.ts';
import {streamFailure, type Vendor} from '../failure.ts';
import {endpointUrl} from '../history.ts';
import {at, countAt, listAt, textAt} from '../json-path.ts';
import {type OptionalField, openWithout, optionalField, optionalTools} from '../optional-fields.ts';
import type {FinishReason, Provider, ProviderEvent} from '../provider.ts';
import {openaiUsage} from '../token-usage.ts';
import {createItems} from './openai-responses-items.ts';
import {responsesBody} from './openai-responses-request.ts';

const vendor: Vendor = {name: 'openai', label: 'OpenAI'};

/** OpenAI's Responses API, streamed. The end mark is `response.completed` or `response.incomplete`. */
export const openaiResponses: Provider = async function* (request) {
	const call = {url: endpointUrl(request.baseUrl, '/responses'), body: responsesBody(request)};
	const chunks = yield* openWithout(request, vendor, call, optionalFields);
	const newId = callIds(request.messages);
	const items = createItems();
	const called = new Set<string>();
	let calls = 0;

	const callOf = (item: Json | undefined): readonly ProviderEvent[] => {
		const id = textAt(item, 'id') || textAt(item, 'call_id');
		if (textAt(item, 'type') !== 'function_call' || called.has(id)) {
			return [];
		}

		called.add(id || `${calls}`);
		calls += 1;
		return [toolCall(newId(textAt(item, 'call_id')), textAt(item, 'name'), textAt(item, 'arguments'))];
	};

	for await (const chunk of chunks) {
		if (chunk === '[DONE]') {
			continue;
		}

		const type = textAt(chunk, 'type');
		switch (type) {
			case 'response.output_item.added':
				items.announce(chunk);
				break;
			case 'response.output_text.delta':
				yield* items.say('text', chunk);
				break;
			case 'response.output_text.done':
				yield* items.sayWhole('text', chunk);
				break;
			case 'response.refusal.delta':
				yield* items.say('refusal', chunk);
				break;
			case 'response.refusal.done':
				yield* items.sayWhole('refusal', chunk);
				break;
			case 'response.reasoning_summary_text.delta':
				yield* items.say('summary', chunk);
				break;
			case 'response.reasoning_summary_text.done':
				yield* items.sayWhole('summary', chunk);
				break;
			case 'response.reasoning_text.delta':
				yield* items.say('thought', chunk);
				break;
			case 'response.reasoning_text.done':
				yield* items.sayWhole('thought', chunk);
				break;
			case 'response.output_item.done': {
				const item = at(chunk, 'item') ?? null;
				yield* callOf(item);
				yield* items.end(item, countAt(chunk, 'output_index'));
				break;
			}
			case 'response.completed':
			case 'response.incomplete':
			case 'response.failed': {
				const response = at(chunk, 'response');
				// As a rule each text and call was told before; some hosts send the whole alone.
				const isTold = items.hasSaid('text') || items.hasSaid('refusal');
				yield* isTold ? [] : listAt(response, 'output').flatMap((item, index) => items.end(item, index));
				yield* calls === 0 ? listAt(response, 'output').flatMap(callOf) : [];
				const usage = openaiUsage(at(response, 'usage'));
				if (usage) {
					yield {type: 'usage', usage};
				}

				if (type === 'response.failed') {
					throw streamFailure(vendor, response);
				}

				const {reason, word} = endOf(type, response);
				const finish = items.hasSaid('refusal') ? 'content-filter' : finishWithCalls(reason, calls);
				yield finishOf(finish, word);
				return;
			}
			default: // Beginnings, hosted tools, citations, and whatever comes next.
		}
	}
};

/** Only verified organisations may have summaries of the reasoning; other hosts may not know the key of the cache. */
const optionalFields: readonly OptionalField[] = [
	optionalField('reasoning', /reasoning[ ._]summar/i),
	optionalField('prompt_cache_key', /prompt_cache_key/i),
	optionalTools,
];

/** What ended the response, and the vendor's word for it. */
function endOf(type: string, response: Json | undefined): {readonly reason: FinishReason; readonly word: string} {
	const word = textAt(response, 'incomplete_details', 'reason');
	if (type === 'response.completed') {
		return {reason: 'stop', word};
	}

	switch (word) {
		case 'max_output_tokens':
			return {reason: 'length', word};
		case 'content_filter':
			return {reason: 'content-filter', word};
		default:
			return {reason: 'other', word};
	}
}
