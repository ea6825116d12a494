import {isDeepStrictEqual} from 'node:util';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import type {Message} from '../../core/session/message.ts';
import {assertRoomForCall, callIds, finishOf, finishWithCalls, toolCall} from '../calls.ts';
import {endpointUrl} from '../endpoint-url.ts';
import {streamFailure} from '../failure.ts';
import {at, countAt, createChoicePicker, textAt} from '../json-path.ts';
import type {FinishReason, Provider, ProviderEvent, ProviderRequest} from '../provider.ts';
import type {AddEvent, AnswerReader} from '../read-answer.ts';
import {askRepaired} from '../repairs/repaired-request.ts';
import {openaiUsage} from '../token-usage.ts';
import {chatBody, chatFormat, chatRepairs, type Quirks} from './openai-chat-request.ts';
import {createSpeech} from './openai-chat-speech.ts';
import {isQuoted, readWrittenCalls, type WrittenCall} from './written-calls.ts';

/** In lower case, because hosts differ in case. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
	['stop', 'stop'],
	['eos', 'stop'],
	['eos_token', 'stop'],
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['complete', 'stop'],
	['completed', 'stop'],
	['length', 'length'],
	['max_tokens', 'length'],
	['model_length', 'length'],
	['tool_calls', 'tool-calls'],
	['tool_call', 'tool-calls'],
	['tool_use', 'tool-calls'],
	['function_call', 'tool-calls'],
	['content_filter', 'content-filter'],
	['content-filter', 'content-filter'],
	['safety', 'content-filter'],
	['recitation', 'content-filter'],
	['refusal', 'content-filter'],
	['error', 'error'],
	['insufficient_system_resource', 'error'],
]);

/**
 * OpenAI's Chat Completions, streamed, which Mistral, Groq and many other hosts speak too. The end mark is a
 * `finish_reason` or `[DONE]`; some hosts send only one of them. Usage comes between the two or after both.
 */
export function openaiChat(quirks: Quirks): Provider {
	return request => {
		const url = endpointUrl(request.baseUrl, '/chat/completions');
		const toCall = (sent: ProviderRequest) => ({url, body: chatBody(sent, quirks)});
		const wire = {vendor: quirks, toCall, bodyRepairs: chatRepairs(quirks), isWhole};
		return askRepaired(request, wire, tools => createReader(quirks, {...request, tools}));
	};
}

/** The hosts and models that were seen to leave out the tag that begins their reasoning, for each transport. */
const lackOpening = new WeakMap<ProviderRequest['transport'], Set<string>>();

function createReader(quirks: Quirks, request: ProviderRequest): AnswerReader {
	const {messages, tools, transport} = request;
	const pickChoice = createChoicePicker('choices');
	const model = `${request.baseUrl}\n${request.model}`;
	const speech = createSpeech({
		assumesReasoning: lackOpening.get(transport)?.has(model) ?? false,
		holdsCalls: tools.length > 0,
	});
	const calls: PartialCall[] = [];
	let vendorReason = '';
	let isDone = false;
	let isRefused = false;
	let hasDelta = false;

	return {
		read(chunk, add) {
			if (chunk === '[DONE]') {
				isDone = true;
				return;
			}

			const choice = pickChoice(chunk);
			assertNoError(quirks, chunk, choice);
			// Hosts that don't stream send a whole message instead.
			const delta = at(choice, 'delta') ?? (hasDelta ? undefined : at(choice, 'message'));
			hasDelta ||= isJsonObject(delta);
			speech.read(delta).forEach(add);
			isRefused ||= textAt(delta, 'refusal') !== '';
			addCalls(calls, delta, add);
			const ending = textAt(choice, 'finish_reason');
			vendorReason = ending && ending !== 'null' ? ending : vendorReason;
			const usage = readUsage(chunk, choice);
			if (usage) {
				add({type: 'usage', usage});
			}
		},
		isOver: () => isDone,
		isComplete: () => vendorReason !== '',
		end(add) {
			const {events, call} = speech.flush();
			events.forEach(add);
			if (speech.lacksOpening()) {
				lackOpening.set(transport, (lackOpening.get(transport) ?? new Set()).add(model));
			}

			const reason = vendorReason ? (finishReasons.get(vendorReason.toLowerCase()) ?? 'other') : 'stop';
			// Calls are complete once the message is: those of a cut stream must never run.
			const isEnded = vendorReason !== '' || isDone;
			const mayCall = isEnded && !isRefused && calls.length === 0 && (reason === 'stop' || reason === 'tool-calls');
			const isCall = call !== '' && mayCall && !isQuoted(call, messages);
			const written = isCall ? readWrittenCalls(call, tools, !speech.hasText()) : 'text';
			if (typeof written === 'string') {
				speech.say(call).forEach(add);
			}

			if (isEnded) {
				speech.seal(calls.length > 0).forEach(add);
				const all = typeof written === 'string' ? wholeCalls(calls, request) : writtenCalls(written, messages);
				all.forEach(add);
				const ending = written === 'unreadable' ? 'written-call' : finishWithCalls(reason, all.length);
				add(isRefused ? finishOf('content-filter', '') : finishOf(ending, vendorReason));
			}
		},
	};
}

function isWhole({choices}: JsonObject): boolean {
	return Array.isArray(choices);
}

/** Throws `AppError` for an error beside the answer: Groq sends it in `x_groq`, OpenRouter in the choice. */
function assertNoError(quirks: Quirks, chunk: JsonObject, choice: Json | undefined): void {
	const error = at(chunk, 'x_groq', 'error') ?? at(choice, 'error');
	if (error) {
		throw streamFailure(quirks, {error});
	}
}

function addCalls(calls: PartialCall[], delta: Json | undefined, add: AddEvent): void {
	// Hugging Face's server sends one call without an array.
	const given = [at(delta, 'tool_calls') ?? []].flat();
	// The older form, with a single call.
	const only = at(delta, 'function_call');
	for (const call of isJsonObject(only) ? [...given, {function: only}] : given) {
		addCallDelta(calls, call).forEach(add);
	}
}

function wholeCalls(
	calls: readonly PartialCall[],
	{messages, tools}: Pick<ProviderRequest, 'messages' | 'tools'>,
): readonly ProviderEvent[] {
	const newId = callIds(messages);
	const names = new Set(tools.map(({name}) => name));
	return joinNames(calls, names).map(({id, name, arguments: text, extra}) =>
		toolCall(newId(id), name, text, extra && {wire: chatFormat, data: {extra}}),
	);
}

function writtenCalls(calls: readonly WrittenCall[], messages: readonly Message[]): readonly ProviderEvent[] {
	const newId = callIds(messages);
	return calls.map(({name, arguments: args}) => ({
		...toolCall(newId(''), name, JSON.stringify(args)),
		written: true,
	}));
}

/** Groq sends usage in `x_groq`, Moonshot in the choice. */
function readUsage(chunk: JsonObject, choice: Json | undefined) {
	return (
		openaiUsage(at(chunk, 'usage')) ?? openaiUsage(at(chunk, 'x_groq', 'usage')) ?? openaiUsage(at(choice, 'usage'))
	);
}

/** A call that is being streamed. */
export type PartialCall = {
	readonly index: number | undefined;
	id: string;
	name: string;
	arguments: string;
	/** What the vendor wants back with the call, such as Google's thought signature. */
	extra?: JsonObject | undefined;
};

/**
 * Adds a delta to its call, or begins a new one. The index usually says which; but Mistral sends none, and others send
 * the same one for all calls, or ids that are empty, new in every delta or always the same. So a delta that names a
 * function begins a call if it can't continue the previous one. Gateways repeat a whole call at its end, which is never a
 * second one. Returns the piece. Throws like `assertRoomForCall`.
 */
export function addCallDelta(calls: PartialCall[], delta: Json): readonly ProviderEvent[] {
	const index = countAt(delta, 'index');
	const id = textAt(delta, 'id');
	const name = textAt(delta, 'function', 'name');
	const text = argumentsOf(at(delta, 'function', 'arguments'));
	const given = at(delta, 'extra_content');
	const extra = isJsonObject(given) ? given : undefined;
	const found = findCall(calls, {index, id, name});
	if (calls.some(call => (call === found || (id && call.id === id)) && repeats(call, id, name, text))) {
		return [];
	}

	if (!found || (name && !continues(found, id, name, text))) {
		if (name || id || text) {
			assertRoomForCall(calls.length);
			calls.push({index, id, name, arguments: text, extra});
			return [{type: 'tool-call-delta', id: `${calls.length - 1}`, name, text}];
		}

		return [];
	}

	found.id ||= id;
	found.name ||= name;
	found.arguments += text;
	found.extra = extra ?? found.extra;
	return text ? [{type: 'tool-call-delta', id: `${calls.indexOf(found)}`, name: found.name, text}] : [];
}

type Address = {readonly index: number | undefined; readonly id: string; readonly name: string};

/** Arguments at an index where no call began belong to the last one: some hosts count on with every delta. */
function findCall(calls: readonly PartialCall[], {index, id, name}: Address): PartialCall | undefined {
	const found = index === undefined ? undefined : calls.findLast(call => call.index === index);
	if (found || (index !== undefined && (id || name))) {
		return found;
	}

	return (id && calls.findLast(call => call.id === id)) || calls.at(-1);
}

/** A name comes once, or with every piece. Another name or id, or a second complete set of arguments, is another call. */
function continues(call: PartialCall, id: string, name: string, text: string): boolean {
	const otherName = call.name !== '' && call.name !== name;
	const otherId = id !== '' && call.id !== '' && call.id !== id;
	const complete = text !== '' && isJsonObject(parseJson(call.arguments));
	return !otherName && !otherId && !complete;
}

/** True if a delta has the arguments of a call that is complete once more, perhaps written differently, or encoded twice. */
function repeats(call: PartialCall, id: string, name: string, text: string): boolean {
	const isOther = (name !== '' && (call.name !== name || id === '')) || (id !== '' && call.id !== id);
	// A shorter text is no whole repetition, and to parse all arguments for each short piece would take ever longer.
	if (isOther || 2 * text.length < call.arguments.length) {
		return false;
	}

	const given = parseJson(text);
	const whole = typeof given === 'string' ? parseJson(given) : given;
	return isJsonObject(whole) && isDeepStrictEqual(whole, parseJson(call.arguments));
}

/** Joins calls that are pieces of a name: hosts stream names, too, and only the tools say where one ends. */
function joinNames(calls: readonly PartialCall[], names: ReadonlySet<string>): readonly PartialCall[] {
	const joined: PartialCall[] = [];
	for (const call of calls) {
		const last = joined.at(-1);
		const isPiece = last && last.index === call.index && (call.id === '' || call.id === last.id);
		if (isPiece && !names.has(last.name) && last.arguments === '' && startsName(names, last.name + call.name)) {
			joined[joined.length - 1] = {...call, id: last.id, name: last.name + call.name, extra: last.extra ?? call.extra};
		} else {
			joined.push(call);
		}
	}

	return joined;
}

function startsName(names: ReadonlySet<string>, piece: string): boolean {
	return [...names].some(name => name.startsWith(piece));
}

/** Some hosts send the arguments as the object itself. */
function argumentsOf(value: Json | undefined): string {
	return isJsonObject(value) ? JSON.stringify(value) : typeof value === 'string' ? value : '';
}
