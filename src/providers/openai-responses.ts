import {AppError} from '../core/error.ts';
import type {Json, JsonObject} from '../core/json.ts';
import {callIds, finishWithCalls, toolCall} from './calls.ts';
import {openChunks} from './chunks.ts';
import {streamFailure, type Vendor} from './failure.ts';
import {endpointUrl} from './history.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';
import {responsesBody, responsesWire} from './openai-responses-request.ts';
import type {FinishReason, Provider, ProviderEvent, ProviderRequest} from './provider.ts';
import {openaiUsage} from './token-usage.ts';

const vendor: Vendor = {name: 'openai', label: 'OpenAI'};

/** What a part is: text, a summary of the reasoning, or the reasoning itself as models with open weights show it. */
type Kind = 'text' | 'summary' | 'thought';

/** OpenAI's Responses API, streamed. The end mark is `response.completed` or `response.incomplete`. */
export const openaiResponses: Provider = async function* (request) {
	const chunks = await open(request);
	const newId = callIds(request.messages);
	/** By output index, the part that its item wrote last: what the item's end has to say belongs to it. */
	const lastParts = new Map<number, string>();
	const spoken = new Set<string>();
	let calls = 0;
	let refusal = '';

	const speak = (kind: Kind, chunk: JsonObject, text: string): readonly ProviderEvent[] => {
		const id = partId(kind, chunk);
		if (!text) {
			return [];
		}

		spoken.add(id);
		lastParts.set(countAt(chunk, 'output_index') ?? 0, id);
		return [{type: kind === 'text' ? 'text-delta' : 'reasoning-delta', id, text}];
	};

	/** Text that came in deltas is not repeated; some hosts send the whole alone. */
	const speakWhole = (kind: Kind, chunk: JsonObject): readonly ProviderEvent[] =>
		spoken.has(partId(kind, chunk)) ? [] : speak(kind, chunk, textAt(chunk, 'text'));

	const speakItem = (item: Json, output: number): readonly ProviderEvent[] =>
		textAt(item, 'type') === 'message'
			? listAt(item, 'content').flatMap((part, index) =>
					speakWhole('text', {output_index: output, content_index: index, text: textAt(part, 'text')}),
				)
			: [];

	const call = (item: Json | undefined): readonly ProviderEvent[] => {
		if (textAt(item, 'type') !== 'function_call') {
			return [];
		}

		calls += 1;
		return [toolCall(newId(textAt(item, 'call_id')), textAt(item, 'name'), textAt(item, 'arguments'))];
	};

	for await (const chunk of chunks) {
		if (chunk === '[DONE]') {
			continue;
		}

		const type = textAt(chunk, 'type');
		switch (type) {
			case 'response.output_text.delta':
				yield* speak('text', chunk, textAt(chunk, 'delta'));
				break;
			case 'response.output_text.done':
				yield* speakWhole('text', chunk);
				break;
			case 'response.reasoning_summary_text.delta':
				yield* speak('summary', chunk, textAt(chunk, 'delta'));
				break;
			case 'response.reasoning_summary_text.done':
				yield* speakWhole('summary', chunk);
				break;
			case 'response.reasoning_text.delta':
				yield* speak('thought', chunk, textAt(chunk, 'delta'));
				break;
			case 'response.reasoning_text.done':
				yield* speakWhole('thought', chunk);
				break;
			case 'response.refusal.delta':
				refusal += textAt(chunk, 'delta');
				break;
			case 'response.refusal.done':
				refusal = textAt(chunk, 'refusal') || refusal;
				break;
			case 'response.output_item.done': {
				const item = at(chunk, 'item') ?? null;
				const output = countAt(chunk, 'output_index') ?? 0;
				yield* speakItem(item, output);
				yield* call(item);
				yield* seal(item, lastParts.get(output), `${output}`);
				break;
			}
			case 'response.completed':
			case 'response.incomplete':
			case 'response.failed': {
				const response = at(chunk, 'response');
				// As a rule each text and call was told before; some hosts send the whole alone.
				const hasText = [...spoken].some(id => id.startsWith('text'));
				yield* hasText ? [] : listAt(response, 'output').flatMap(speakItem);
				yield* calls === 0 ? listAt(response, 'output').flatMap(call) : [];
				const usage = openaiUsage(at(response, 'usage'));
				if (usage) {
					yield {type: 'usage', usage};
				}

				if (type === 'response.failed') {
					throw streamFailure(vendor, response);
				}

				const reason = refusal ? 'content-filter' : finishWithCalls(reasonOf(type, response), calls);
				yield {type: 'finish', reason, ...(refusal && {message: refusal})};
				return;
			}
			default: // Beginnings, hosted tools, citations, and whatever comes next.
		}
	}
};

/**
 * Only verified organisations may have summaries of the reasoning. A refusal that says so has cost nothing, and the same
 * question without them is another request, not a retry.
 */
async function open(request: ProviderRequest): ReturnType<typeof openChunks> {
	const url = endpointUrl(request.baseUrl, '/responses');
	const body = responsesBody(request);
	try {
		return await openChunks(request, vendor, {url, body});
	} catch (error) {
		if (!('reasoning' in body && error instanceof AppError && /reasoning[ ._]summar/i.test(error.message))) {
			throw error;
		}

		const {reasoning: _, ...plain} = body;
		return openChunks(request, vendor, {url, body: plain});
	}
}

function partId(kind: Kind, chunk: JsonObject): string {
	const part = countAt(chunk, 'summary_index') ?? countAt(chunk, 'content_index') ?? 0;
	return `${kind}-${countAt(chunk, 'output_index') ?? 0}-${part}`;
}

/** What has to go back with an item: reasoning whole and encrypted, the phase of a text. */
function seal(item: Json | undefined, lastPart: string | undefined, id: string): readonly ProviderEvent[] {
	const type = textAt(item, 'type');
	const encrypted = textAt(item, 'encrypted_content');
	if (type === 'reasoning' && encrypted) {
		const summary = listAt(item, 'summary');
		const data = {type, id: textAt(item, 'id'), summary, encrypted_content: encrypted};
		return [
			{type: 'reasoning-delta', id: lastPart ?? `summary-${id}-0`, text: '', opaque: {wire: responsesWire, data}},
		];
	}

	const phase = textAt(item, 'phase');
	if (type === 'message' && phase && lastPart) {
		return [{type: 'text-delta', id: lastPart, text: '', opaque: {wire: responsesWire, data: {phase}}}];
	}

	return [];
}

function reasonOf(type: string, response: Json | undefined): FinishReason {
	if (type === 'response.completed') {
		return 'stop';
	}

	switch (textAt(response, 'incomplete_details', 'reason')) {
		case 'max_output_tokens':
			return 'length';
		case 'content_filter':
			return 'content-filter';
		default:
			return 'other';
	}
}
