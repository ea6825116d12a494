import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import type {Message} from '../../core/session/message.ts';
import {callIds, finishOf, finishWithCalls, toolCall} from '../calls.ts';
import {untilBreak} from '../chunks.ts';
import {streamFailure} from '../failure.ts';
import {endpointUrl} from '../history.ts';
import {at, textAt} from '../json-path.ts';
import {openWithout} from '../optional-fields.ts';
import type {FinishReason, Provider, ProviderEvent} from '../provider.ts';
import {openaiUsage} from '../token-usage.ts';
import {createChoicePicker} from './choice.ts';
import {addCallDelta, type PartialCall} from './openai-chat-calls.ts';
import type {Quirks} from './openai-chat-quirks.ts';
import {chatBody, chatWire, optionalChatFields} from './openai-chat-request.ts';
import {createSpeech} from './openai-chat-speech.ts';

/** In lower case: hosts differ in that, too. */
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
 * OpenAI's Chat Completions, streamed, as Mistral, Groq and many other hosts speak it too. The end mark is a
 * `finish_reason` or `[DONE]`; some hosts send only one of them, and usage comes between the two or after both.
 */
export function openaiChat(quirks: Quirks): Provider {
	return async function* (request) {
		const chunks = yield* openWithout(
			request,
			quirks,
			{url: endpointUrl(request.baseUrl, '/chat/completions'), body: chatBody(request, quirks)},
			optionalChatFields(quirks),
		);

		const pickChoice = createChoicePicker('choices');
		const speech = createSpeech();
		const calls: PartialCall[] = [];
		let word = '';
		let isDone = false;
		let isRefused = false;

		for await (const chunk of untilBreak(chunks, () => word !== '')) {
			if (chunk === '[DONE]') {
				isDone = true;
				break;
			}

			const choice = pickChoice(chunk);
			assertNoFault(quirks, chunk, choice);
			const delta = at(choice, 'delta');
			yield* speech.read(delta);
			isRefused ||= textAt(delta, 'refusal') !== '';
			addCalls(calls, delta);
			const ending = textAt(choice, 'finish_reason');
			word = ending && ending !== 'null' ? ending : word;
			const usage = readUsage(chunk, choice);
			if (usage) {
				yield {type: 'usage', usage};
			}
		}

		yield* speech.flush();
		// Calls are whole when the message is: what a cut stream leaves of them must never run.
		if (word || isDone) {
			const reason = word ? (finishReasons.get(word.toLowerCase()) ?? 'other') : 'stop';
			yield* speech.seal(calls.length > 0);
			yield* wholeCalls(calls, request.messages);
			yield isRefused ? finishOf('content-filter', '') : finishOf(finishWithCalls(reason, calls.length), word);
		}
	};
}

/** Throws what a host reports beside the answer: Groq in a place of its own, OpenRouter within the choice. */
function assertNoFault(quirks: Quirks, chunk: JsonObject, choice: Json | undefined): void {
	const fault = at(chunk, 'x_groq', 'error') ?? at(choice, 'error');
	if (fault) {
		throw streamFailure(quirks, {error: fault});
	}
}

function addCalls(calls: PartialCall[], delta: Json | undefined): void {
	// Hugging Face's server sends one call as the object itself.
	for (const call of [at(delta, 'tool_calls') ?? []].flat()) {
		addCallDelta(calls, call);
	}

	// As calls were before there were several of them.
	const only = at(delta, 'function_call');
	if (isJsonObject(only)) {
		addCallDelta(calls, {function: only});
	}
}

function wholeCalls(calls: readonly PartialCall[], messages: readonly Message[]): readonly ProviderEvent[] {
	const newId = callIds(messages);
	return calls.map(({id, name, arguments: text, extra}) =>
		toolCall(newId(id), name, text, extra && {wire: chatWire, data: {extra}}),
	);
}

/** The last one counts, wherever it stands: Groq has a place of its own, Moonshot uses the choice. */
function readUsage(chunk: JsonObject, choice: Json | undefined) {
	return (
		openaiUsage(at(chunk, 'usage')) ?? openaiUsage(at(chunk, 'x_groq', 'usage')) ?? openaiUsage(at(choice, 'usage'))
	);
}
