import type {Json, JsonObject} from '../../core/json.ts';
import type {Message} from '../../core/session/message.ts';
import {callIds, finishOf, finishWithCalls, toolCall} from '../calls.ts';
import {encryptedReasoning} from '../earlier-reasoning.ts';
import {optionalEffort} from '../effort.ts';
import {endpointUrl} from '../endpoint-url.ts';
import {streamFailure, type Vendor} from '../failure.ts';
import {at, countAt, listAt, textAt} from '../json-path.ts';
import type {FinishReason, Provider, ProviderEvent, ProviderRequest} from '../provider.ts';
import type {AddEvent, AnswerReader} from '../read-answer.ts';
import {type BodyRepair, withoutField} from '../repairs/repair.ts';
import {askRepaired} from '../repairs/repaired-request.ts';
import {openaiUsage} from '../token-usage.ts';
import {createItems, type Items, type PartKind} from './openai-responses-items.ts';
import {responsesBody} from './openai-responses-request.ts';

const vendor: Vendor = {name: 'openai', label: 'OpenAI'};

/** OpenAI's Responses API, streamed. The end mark is `response.completed` or `response.incomplete`. */
export const openaiResponses: Provider = request => {
	const url = endpointUrl(request.baseUrl, '/responses');
	const toCall = (sent: ProviderRequest) => ({url, body: responsesBody(sent)});
	return askRepaired(request, {vendor, toCall, bodyRepairs}, () => createReader(request.messages));
};

function createReader(messages: readonly Message[]): AnswerReader {
	const output: Output = {items: createItems(), calls: createCallReader(callIds(messages))};
	let isOver = false;
	return {
		read(chunk, add) {
			const type = textAt(chunk, 'type');
			isOver = endTypes.has(type);
			if (isOver) {
				readEnd(output, type, at(chunk, 'response'), add);
			} else if (chunk !== '[DONE]') {
				readChunk(output, type, chunk).forEach(add);
			}
		},
		isOver: () => isOver,
		isComplete: () => isOver,
		end: () => undefined,
	};
}

/** Organizations that aren't verified may not ask for reasoning summaries; other hosts may not know the cache key. */
const bodyRepairs: readonly BodyRepair[] = [
	encryptedReasoning,
	withoutField('reasoning', /reasoning[ ._]summar/i),
	...optionalEffort('reasoning', 'effort'),
	withoutField('prompt_cache_key', /prompt_cache_key/i),
];

/** The chunks that carry a piece of a part, and those that carry the whole part once it has ended. */
const pieces: ReadonlyMap<string, PartKind> = new Map([
	['response.output_text.delta', 'text'],
	['response.refusal.delta', 'refusal'],
	['response.reasoning_summary_text.delta', 'summary'],
	['response.reasoning_text.delta', 'thought'],
]);
const wholes: ReadonlyMap<string, PartKind> = new Map([
	['response.output_text.done', 'text'],
	['response.refusal.done', 'refusal'],
	['response.reasoning_summary_text.done', 'summary'],
	['response.reasoning_text.done', 'thought'],
]);
const endTypes: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** What was read of a response so far. */
type Output = {readonly items: Items; readonly calls: CallReader};

/** Most calls of an answer that are shown while they are written. */
const maxPieced = 100;

type CallReader = {
	/** Notes that the function call of an item begins. */
	readonly begin: (chunk: JsonObject) => readonly ProviderEvent[];
	/** Returns a piece of the arguments of a call that has begun. */
	readonly addPiece: (chunk: JsonObject) => readonly ProviderEvent[];
	/** Returns the function call of an item once; nothing for any other item. */
	readonly read: (item: Json | undefined) => readonly ProviderEvent[];
	readonly count: () => number;
};

function createCallReader(newId: (vendorId: string) => string): CallReader {
	const known = new Set<string>();
	const names = new Map<string, string>();
	let count = 0;
	return {
		begin(chunk) {
			const id = textAt(chunk, 'item', 'id') || String(countAt(chunk, 'output_index') ?? '');
			const name = textAt(chunk, 'item', 'name');
			if (textAt(chunk, 'item', 'type') !== 'function_call' || names.size >= maxPieced) {
				return [];
			}

			names.set(id, name);
			return [{type: 'tool-call-delta', id, name, text: ''}];
		},
		addPiece(chunk) {
			const id = textAt(chunk, 'item_id') || String(countAt(chunk, 'output_index') ?? '');
			const name = names.get(id);
			const text = textAt(chunk, 'delta');
			return name === undefined || !text ? [] : [{type: 'tool-call-delta', id, name, text}];
		},
		read(item) {
			const id = textAt(item, 'id') || textAt(item, 'call_id');
			if (textAt(item, 'type') !== 'function_call' || known.has(id)) {
				return [];
			}

			known.add(id || `${count}`);
			count += 1;
			return [toolCall(newId(textAt(item, 'call_id')), textAt(item, 'name'), textAt(item, 'arguments'))];
		},
		count: () => count,
	};
}

function readChunk({items, calls}: Output, type: string, chunk: JsonObject): readonly ProviderEvent[] {
	const piece = pieces.get(type);
	if (piece) {
		return items.addPiece(piece, chunk);
	}

	const whole = wholes.get(type);
	if (whole) {
		return items.addWhole(whole, chunk);
	}

	switch (type) {
		case 'response.output_item.added':
			items.announce(chunk);
			return calls.begin(chunk);
		case 'response.function_call_arguments.delta':
			return calls.addPiece(chunk);
		case 'response.output_item.done': {
			const item = at(chunk, 'item') ?? null;
			return [...calls.read(item), ...items.end(item, countAt(chunk, 'output_index'))];
		}
		default: // Beginnings, hosted tools, citations, and whatever comes next.
			return [];
	}
}

/** Adds what the end of a response says. Throws `AppError` for a response that failed. */
function readEnd({items, calls}: Output, type: string, response: Json | undefined, add: AddEvent): void {
	// Most hosts have sent each text and call before; some send the whole response alone.
	const output = listAt(response, 'output');
	const isKnown = items.has('text') || items.has('refusal');
	if (!isKnown) {
		output.flatMap((item, index) => items.end(item, index)).forEach(add);
	}

	if (calls.count() === 0) {
		output.flatMap(calls.read).forEach(add);
	}

	const usage = openaiUsage(at(response, 'usage'));
	if (usage) {
		add({type: 'usage', usage});
	}

	if (type === 'response.failed') {
		throw streamFailure(vendor, response);
	}

	const {reason, vendorReason} = endOf(type, response);
	add(finishOf(items.has('refusal') ? 'content-filter' : finishWithCalls(reason, calls.count()), vendorReason));
}

/** Returns why the response ended, and the vendor's word for it. */
function endOf(
	type: string,
	response: Json | undefined,
): {readonly reason: FinishReason; readonly vendorReason: string} {
	const vendorReason = textAt(response, 'incomplete_details', 'reason');
	if (type === 'response.completed') {
		return {reason: 'stop', vendorReason};
	}

	switch (vendorReason) {
		case 'max_output_tokens':
			return {reason: 'length', vendorReason};
		case 'content_filter':
			return {reason: 'content-filter', vendorReason};
		default:
			return {reason: 'other', vendorReason};
	}
}
