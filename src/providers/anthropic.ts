import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import {noUsage, type TokenUsage} from '../core/session/usage.ts';
import {acceptedId, acceptedName, callIds, finishOf, finishWithCalls, toolCall} from './calls.ts';
import type {Chunk} from './chunks.ts';
import {createConverter} from './converter.ts';
import {signedThinking} from './earlier-reasoning.ts';
import {anthropicEffort, optionalEffort, thinksAsNeeded} from './effort.ts';
import {endpointUrl} from './endpoint-url.ts';
import type {Vendor} from './failure.ts';
import {imagesOf, opaqueOf, withoutTail} from './history.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';
import type {FinishReason, Provider, ProviderEvent, ProviderRequest} from './provider.ts';
import type {AnswerReader} from './read-answer.ts';
import {type BodyRepair, withoutField} from './repairs/repair.ts';
import {askRepaired} from './repairs/repaired-request.ts';

const vendor: Vendor = {name: 'anthropic', label: 'Anthropic'};

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['pause_turn', 'stop'],
	['tool_use', 'tool-calls'],
	['max_tokens', 'length'],
	['model_context_window_exceeded', 'length'],
	['refusal', 'content-filter'],
]);

/** Compatible hosts may not know the marks of the cache. */
const cacheMarks: BodyRepair = {
	name: 'cache marks',
	isRefused: refusal => /cache_control/i.test(refusal),
	mend: body => withoutMarks(body) as JsonObject,
};

function withoutMarks(value: Json): Json {
	if (Array.isArray(value)) {
		const items = value.map(withoutMarks);
		return items.every((item, index) => item === value[index]) ? value : items;
	}

	if (!isJsonObject(value)) {
		return value;
	}

	const {cache_control: mark, ...rest} = value;
	const entries = Object.entries(rest).map(
		([key, inner]) => [key, opaqueFields.has(key) ? inner : withoutMarks(inner)] as const,
	);
	return mark === undefined && entries.every(([key, inner]) => inner === value[key])
		? value
		: Object.fromEntries(entries);
}

/** What tools and models wrote. */
const opaqueFields: ReadonlySet<string> = new Set(['input', 'input_schema']);

/** The names of properties that the API accepts in a schema. */
const argumentName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Fields that compatible hosts and older models may refuse. */
const bodyRepairs: readonly BodyRepair[] = [
	signedThinking,
	...optionalEffort('output_config', 'effort'),
	withoutField('thinking', /adaptive|budget_tokens|\bthinking\b[^.\n]{0,60}(?:not|un)[ -]?(?:support|permit|recogni)/i),
	cacheMarks,
];

/** A message that ends without a reason has ended normally. */
function reasonOf(vendorReason: string): FinishReason {
	return vendorReason ? (finishReasons.get(vendorReason) ?? 'other') : 'stop';
}

/** A content block that is being streamed. Blocks of tools that Anthropic runs are `hosted`. */
type Block =
	| {readonly kind: 'text' | 'hosted'}
	| {readonly kind: 'thinking'; signature: string}
	| {readonly kind: 'tool'; readonly id: string; readonly name: string; readonly input: Json | undefined; json: string};

/** Anthropic's Messages API, streamed. The end mark is `message_stop`. */
export const anthropic: Provider = request => {
	const toCall = (sent: ProviderRequest) => ({
		url: endpointUrl(request.baseUrl, '/v1/messages'),
		headers: {'anthropic-version': '2023-06-01'},
		body: anthropicBody(sent),
	});
	return askRepaired(request, {vendor, toCall, bodyRepairs, argumentName, isWhole}, () =>
		createReader(request.messages),
	);
};

function createReader(messages: readonly Message[]): AnswerReader {
	const newId = callIds(messages);
	const blocks = new Map<number, Block>();
	let usage = noUsage;
	let vendorReason = '';
	let message = '';
	let calls = 0;
	let hasBegun = false;
	let isOver = false;

	const close = (index: number): readonly ProviderEvent[] => {
		const block = blocks.get(index);
		blocks.delete(index);
		calls += block?.kind === 'tool' ? 1 : 0;
		return block ? endOf(block, index, newId) : [];
	};

	const finish = () =>
		finishOf(finishWithCalls(reasonOf(vendorReason), calls), vendorReason === 'refusal' ? '' : vendorReason, message);

	const read = (chunk: Chunk): readonly ProviderEvent[] => {
		const index = countAt(chunk, 'index') ?? 0;
		switch (textAt(chunk, 'type')) {
			case 'message':
				return hasBegun ? [] : chunksOf(chunk).flatMap(read);
			case 'message_start':
				hasBegun = true;
				usage = readUsage(usage, at(chunk, 'message', 'usage'));
				return [{type: 'usage', usage}];
			case 'content_block_start': {
				const content = at(chunk, 'content_block');
				blocks.set(index, openBlock(content));
				return startOf(content, index);
			}
			case 'content_block_delta':
				return addDelta(blocks.get(index) ?? {kind: 'text'}, index, at(chunk, 'delta'));
			case 'content_block_stop':
				return close(index);
			case 'message_delta':
				usage = readUsage(usage, at(chunk, 'usage'));
				vendorReason = textAt(chunk, 'delta', 'stop_reason') || vendorReason;
				message = textAt(chunk, 'delta', 'stop_details', 'explanation') || message;
				return [{type: 'usage', usage}];
			case 'message_stop':
				isOver = true;
				return [...[...blocks.keys()].flatMap(close), finish()];
			default: // Pings, and chunk types of the future.
				return [];
		}
	};

	return {
		read: (chunk, add) => read(chunk).forEach(add),
		isOver: () => isOver,
		isComplete: () => isOver,
		end: () => undefined,
	};
}

function isWhole({type, content}: JsonObject): boolean {
	return type === 'message' && Array.isArray(content);
}

/** Returns the chunks of a message that a host sends without streaming it. */
function chunksOf(message: Json): readonly JsonObject[] {
	const blocks = listAt(message, 'content').flatMap((block, index): JsonObject[] => [
		{type: 'content_block_start', index, content_block: block},
		{type: 'content_block_stop', index},
	]);
	const end = {type: 'message_delta', delta: message, usage: at(message, 'usage') ?? null};
	return [{type: 'message_start', message}, ...blocks, end, {type: 'message_stop'}];
}

function openBlock(content: Json | undefined): Block {
	switch (textAt(content, 'type')) {
		case 'text':
			return {kind: 'text'};
		case 'thinking':
			return {kind: 'thinking', signature: textAt(content, 'signature')};
		case 'tool_use':
			return {
				kind: 'tool',
				id: textAt(content, 'id'),
				name: textAt(content, 'name'),
				input: at(content, 'input'),
				json: '',
			};
		default:
			return {kind: 'hosted'};
	}
}

/** Returns what a block contains before its first delta: the name of a tool; redacted thinking comes at once. */
function startOf(content: Json | undefined, index: number): readonly ProviderEvent[] {
	const type = textAt(content, 'type');
	const id = `${index}`;
	if (type === 'redacted_thinking') {
		const opaque = {wire: anthropicFormat, data: {data: textAt(content, 'data')}};
		return [{type: 'reasoning-delta', id, text: '', opaque}];
	}

	if (type === 'tool_use') {
		return [{type: 'tool-call-delta', id, name: textAt(content, 'name'), text: ''}];
	}

	const text = textAt(content, type === 'thinking' ? 'thinking' : 'text');
	if (!text || (type !== 'text' && type !== 'thinking')) {
		return [];
	}

	return [{type: type === 'text' ? 'text-delta' : 'reasoning-delta', id, text}];
}

function addDelta(block: Block, index: number, delta: Json | undefined): readonly ProviderEvent[] {
	const id = `${index}`;
	switch (block.kind) {
		case 'text': {
			const text = textAt(delta, 'text');
			return text ? [{type: 'text-delta', id, text}] : [];
		}
		case 'thinking': {
			const text = textAt(delta, 'thinking');
			block.signature = textAt(delta, 'signature') || block.signature;
			return text ? [{type: 'reasoning-delta', id, text}] : [];
		}
		case 'tool': {
			const text = textAt(delta, 'partial_json');
			block.json += text;
			return text ? [{type: 'tool-call-delta', id, name: block.name, text}] : [];
		}
		default:
			return [];
	}
}

function endOf(block: Block, index: number, newId: (vendorId: string) => string): readonly ProviderEvent[] {
	switch (block.kind) {
		case 'thinking': {
			const opaque = {wire: anthropicFormat, data: {signature: block.signature}};
			return block.signature ? [{type: 'reasoning-delta', id: `${index}`, text: '', opaque}] : [];
		}
		case 'tool': {
			const {id, name, input, json} = block;
			return [toolCall(newId(id), name, json || JSON.stringify(input ?? {}))];
		}
		default:
			return [];
	}
}

/**
 * Counts are totals so far; one that is missing, or zero as gateways send it again at the end, keeps its value.
 * `input_tokens` excludes both cache buckets.
 */
function readUsage(before: TokenUsage, raw: Json | undefined): TokenUsage {
	return {
		input: countAt(raw, 'input_tokens') || before.input,
		cacheRead: countAt(raw, 'cache_read_input_tokens') || before.cacheRead,
		cacheWrite: countAt(raw, 'cache_creation_input_tokens') || before.cacheWrite,
		output: countAt(raw, 'output_tokens') || before.output,
		reasoning: countAt(raw, 'output_tokens_details', 'thinking_tokens') || before.reasoning,
	};
}

const anthropicFormat = 'anthropic';

const cached = {cache_control: {type: 'ephemeral'}} as const;

/**
 * Returns the body for Anthropic's Messages API. The prompt is cached up to the tools, the instructions and the last two
 * user turns, so that each request reads what the previous one wrote (the API allows four marks).
 */
function anthropicBody(request: ProviderRequest): JsonObject {
	const {model, system, messages, tools, maxOutputTokens, effort} = request;
	return {
		model,
		max_tokens: maxOutputTokens ?? defaultMaxTokens(model),
		stream: true,
		...(thinksAsNeeded(model) && {thinking: {type: 'adaptive', display: 'summarized'}}),
		...(effort && (thinksAsNeeded(model) || mayBeginThinking(messages)) && anthropicEffort(model, effort)),
		...(system.trim() && {system: [{type: 'text', text: system, ...cached}]}),
		messages: cacheLastTurns(joinTurns(toTurns(messages))),
		...(tools.length > 0 && {
			tools: tools.map(({name, description, parameters}, index) => ({
				name,
				description,
				input_schema: parameters,
				...(index === tools.length - 1 && cached),
			})),
		}),
	};
}

/** Returns the limit that the API requires: the maximum of old models, more than an answer needs for newer ones. */
function defaultMaxTokens(model: string): number {
	if (/^claude-3-(?:opus|sonnet|haiku)/.test(model)) {
		return 4096;
	}

	return model.startsWith('claude-3-5') ? 8192 : 32_000;
}

/** False after the result of a call that no thinking came before: a model that thinks by budget must not begin there. */
function mayBeginThinking(messages: readonly Message[]): boolean {
	const last = messages.findLast(({role}) => role === 'assistant');
	return messages.at(-1)?.role !== 'tool' || (last !== undefined && toContent(last)[0]?.['type'] === 'thinking');
}

type Turn = {readonly role: 'user' | 'assistant'; readonly content: readonly JsonObject[]};

const toTurns = createConverter(messages => joinTurns(messages.map(toTurn)));

function toTurn(message: Message): Turn {
	return {role: message.role === 'assistant' ? 'assistant' : 'user', content: toContent(message)};
}

/** Joins consecutive turns of one side, because the results of parallel calls must be in one turn. Leaves out empty ones. */
function joinTurns(given: readonly Turn[]): readonly Turn[] {
	const turns: Turn[] = [];
	for (const turn of given) {
		const {role, content} = turn;
		const last = turns.at(-1);
		if (last?.role === role) {
			turns.splice(-1, 1, {role, content: [...last.content, ...content]});
		} else if (content.length > 0) {
			turns.push(turn);
		}
	}

	return turns;
}

function toContent(message: Message): readonly JsonObject[] {
	switch (message.role) {
		case 'user':
			return [
				...imagesOf(message).map(({type, data}) => ({
					type: type === 'application/pdf' ? 'document' : 'image',
					source: {type: 'base64', media_type: type, data},
				})),
				...text(message.text),
			];
		case 'tool': {
			const {callId, output, failed} = message;
			const images = imagesOf(message).map(({type, data}) => ({
				type: 'image',
				source: {type: 'base64', media_type: type, data},
			}));
			const content = images.length > 0 ? [...text(output), ...images] : output;
			return [{type: 'tool_result', tool_use_id: toId(callId), content, ...(failed && {is_error: true})}];
		}
		case 'assistant':
			return withoutTail(
				message.parts.flatMap(part => toBlock(part, message)),
				({type}) => type === 'thinking' || type === 'redacted_thinking',
			);
		default:
			return message satisfies never;
	}
}

/** Thinking goes back unchanged with its signature, or not at all. */
function toBlock(part: AssistantPart, message: Extract<Message, {role: 'assistant'}>): readonly JsonObject[] {
	switch (part.type) {
		case 'text':
			return text(part.text);
		case 'reasoning': {
			const opaque = opaqueOf(part, message, anthropicFormat, 'anthropic');
			const data = textAt(opaque, 'data');
			const signature = textAt(opaque, 'signature');
			if (data) {
				return [{type: 'redacted_thinking', data}];
			}

			return signature ? [{type: 'thinking', thinking: part.text, signature}] : [];
		}
		case 'tool-call':
			return [{type: 'tool_use', id: toId(part.id), name: acceptedName(part.name), input: part.arguments}];
		default:
			return part satisfies never;
	}
}

/** The API refuses blocks without text. */
function text(value: string): readonly JsonObject[] {
	return value.trim() ? [{type: 'text', text: value}] : [];
}

function toId(id: string): string {
	return acceptedId(id, /^[\w-]{1,64}$/);
}

function cacheLastTurns(turns: readonly Turn[]): readonly Turn[] {
	const marked = turns.flatMap(({role}, index) => (role === 'user' ? [index] : [])).slice(-2);
	return turns.map((turn, index) => {
		const {role, content} = turn;
		const last = content.at(-1);
		return last && marked.includes(index) ? {role, content: [...content.slice(0, -1), {...last, ...cached}]} : turn;
	});
}
