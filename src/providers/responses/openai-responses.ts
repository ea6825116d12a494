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
import {responsesBody, responsesFormat} from './openai-responses-request.ts';

const vendor: Vendor = {name: 'openai', label: 'OpenAI'};

/** OpenAI's Responses API, streamed. The end mark is `response.completed` or `response.incomplete`. */
export const openaiResponses: Provider = request => {
	const url = endpointUrl(request.baseUrl, '/responses');
	const toCall = (sent: ProviderRequest) => ({url, body: responsesBody(sent)});
	return askRepaired(request, {vendor, toCall, bodyRepairs, isWhole}, () => createReader(request.messages));
};

/** A host that doesn't stream sends the response alone. */
function isWhole({object, output}: JsonObject): boolean {
	return object === 'response' && Array.isArray(output);
}

function createReader(messages: readonly Message[]): AnswerReader {
	const output: Output = {items: createItems(), calls: createCallReader(callIds(messages))};
	let isOver = false;
	return {
		read(chunk, add) {
			const isAnswer = chunk !== '[DONE]' && isWhole(chunk);
			const type = isAnswer ? `response.${textAt(chunk, 'status') || 'completed'}` : textAt(chunk, 'type');
			isOver = endTypes.has(type);
			if (isOver) {
				readEnd(output, type, isAnswer ? chunk : at(chunk, 'response'), add);
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

/** A part is text, a refusal, a summary of the reasoning, or the reasoning itself, which open models show. */
type PartKind = 'text' | 'refusal' | 'summary' | 'thought';

type Part = {readonly kind: PartKind; readonly position: number; readonly id: string; text: string};

/** An output item, as far as it was streamed. `number` is its output index, or the next free one. */
type Item = {
	readonly id: string;
	readonly output: number | undefined;
	readonly number: number;
	readonly parts: Part[];
	ended: boolean;
};

type Items = {
	/** Adds an item that the response announces. */
	readonly announce: (chunk: JsonObject) => void;
	/** Returns the event for a piece of a part. */
	readonly addPiece: (kind: PartKind, chunk: JsonObject) => readonly ProviderEvent[];
	/** Returns the event for a whole part; nothing if its pieces came before. */
	readonly addWhole: (kind: PartKind, chunk: JsonObject) => readonly ProviderEvent[];
	/** Ends an item. Returns the events for texts that are new, and for what has to go back with the item. */
	readonly end: (whole: Json, output: number | undefined) => readonly ProviderEvent[];
	/** True once a part of that kind has come. */
	readonly has: (kind: PartKind) => boolean;
};

/**
 * Joins the items of a response. The same text may come as deltas, at the end of its part and within the end of its item,
 * and hosts number these differently. So an item is known by its id, then by its output index, and each text is yielded
 * once.
 */
function createItems(): Items {
	const items: Item[] = [];
	return {
		announce(chunk) {
			beginItem(items, textAt(chunk, 'item', 'id'), countAt(chunk, 'output_index'));
		},
		addPiece: (kind, chunk) => addText(itemOf(items, chunk), kind, positionOf(chunk), textAt(chunk, 'delta')),
		addWhole(kind, chunk) {
			const item = itemOf(items, chunk);
			const text = textAt(chunk, kind === 'refusal' ? 'refusal' : 'text');
			const position = positionOf(chunk);
			const isKnown = item.parts.some(part => part.kind === kind && (part.position === position || part.text === text));
			return isKnown ? [] : addText(item, kind, position, text);
		},
		end(whole, output) {
			const id = textAt(whole, 'id');
			const item = findItem(items, id, output) ?? findByText(items, whole) ?? beginItem(items, id, output);
			item.ended = true;
			const added = newTexts(item.parts, whole).flatMap(({kind, position, text}) =>
				addText(item, kind, position, text),
			);
			return [...added, ...seal(whole, item.parts.at(-1)?.id, item.number)];
		},
		has: kind => items.some(({parts}) => parts.some(part => part.kind === kind)),
	};
}

/** Returns the item that a chunk belongs to, and begins it if it is new. */
function itemOf(items: Item[], chunk: JsonObject): Item {
	const id = textAt(chunk, 'item_id');
	const output = countAt(chunk, 'output_index');
	return findItem(items, id, output) ?? beginItem(items, id, output);
}

/** Some hosts give each event of an item another id, others the same output index to all items. */
function findItem(items: readonly Item[], id: string, output: number | undefined): Item | undefined {
	return (
		items.findLast(item => id !== '' && item.id === id) ??
		items.findLast(item => !item.ended && (output === undefined || item.output === output))
	);
}

function beginItem(items: Item[], id: string, output: number | undefined): Item {
	let number = output ?? 0;
	while (items.some(item => item.number === number)) {
		number += 1;
	}

	const item: Item = {id, output, number, parts: [], ended: false};
	items.push(item);
	return item;
}

function addText({parts, number}: Item, kind: PartKind, position: number, text: string): readonly ProviderEvent[] {
	if (!text) {
		return [];
	}

	let part = parts.find(known => known.kind === kind && known.position === position);
	if (!part) {
		part = {kind, position, id: `${kind}-${number}-${position}`, text: ''};
		parts.push(part);
	}

	part.text += text;
	const type = kind === 'text' || kind === 'refusal' ? 'text-delta' : 'reasoning-delta';
	return [{type, id: part.id, text}];
}

function positionOf(chunk: JsonObject): number {
	return countAt(chunk, 'summary_index') ?? countAt(chunk, 'content_index') ?? 0;
}

type Text = {readonly kind: 'text' | 'refusal'; readonly position: number; readonly text: string};

function textsOf(whole: Json): readonly Text[] {
	return textAt(whole, 'type') === 'message'
		? listAt(whole, 'content').map((part, position) =>
				textAt(part, 'refusal')
					? {kind: 'refusal', position, text: textAt(part, 'refusal')}
					: {kind: 'text', position, text: textAt(part, 'text')},
			)
		: [];
}

function findByText(items: readonly Item[], whole: Json): Item | undefined {
	const text = textsOf(whole)
		.map(part => part.text)
		.join('');
	return text ? items.findLast(({parts}) => parts.map(part => part.text).join('') === text) : undefined;
}

/**
 * Returns the texts of a whole item that were not streamed. Each streamed part stands for one of them: the same text,
 * else the one in its place, else any.
 */
function newTexts(parts: readonly Part[], whole: Json): readonly Text[] {
	const streamed = parts.filter(({kind}) => kind === 'text' || kind === 'refusal');
	let remaining = textsOf(whole).filter(({text}) => text !== '');
	const rules: ReadonlyArray<(part: Part, text: Text) => boolean> = [
		(part, text) => part.text === text.text,
		(part, text) => part.kind === text.kind && part.position === text.position,
		() => true,
	];
	for (const isSame of rules) {
		remaining = remaining.filter(text => {
			const index = streamed.findIndex(part => isSame(part, text));
			streamed.splice(index, index < 0 ? 0 : 1);
			return index < 0;
		});
	}

	return freePlaces(remaining, parts);
}

/** Moves texts behind the streamed parts if a place is taken: two parts of one item never share a place. */
function freePlaces(texts: readonly Text[], parts: readonly Part[]): readonly Text[] {
	const taken = parts.map(({position}) => position);
	const shift = texts.some(({position}) => taken.includes(position)) ? Math.max(...taken) + 1 : 0;
	return texts.map(text => ({...text, position: text.position + shift}));
}

/** Returns what has to go back with an item: encrypted reasoning as a whole, the phase of a text. */
function seal(item: Json, lastPart: string | undefined, number: number): readonly ProviderEvent[] {
	const type = textAt(item, 'type');
	const encrypted = textAt(item, 'encrypted_content');
	if (type === 'reasoning' && encrypted) {
		const data = {type, id: textAt(item, 'id'), summary: listAt(item, 'summary'), encrypted_content: encrypted};
		const id = lastPart ?? `summary-${number}-0`;
		return [{type: 'reasoning-delta', id, text: '', opaque: {wire: responsesFormat, data}}];
	}

	const phase = textAt(item, 'phase');
	return type === 'message' && phase && lastPart
		? [{type: 'text-delta', id: lastPart, text: '', opaque: {wire: responsesFormat, data: {phase}}}]
		: [];
}
